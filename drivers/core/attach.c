/* SPDX-License-Identifier: BSD-2-Clause
 * The region that a device uses: attached by the application, or made when it starts.
 * dev->region is counted in region->attached for as long as it is set.
 */
#include "drivers/core/driver.h"
#include "drivers/core/region.h"

#include <errno.h>

void shunt_region_join(struct shunt_dev *dev, struct shunt_region *region)
{
	dev->region = region;
	atomic_fetch_add(&region->attached, 1);
}

void shunt_region_leave(struct shunt_dev *dev)
{
	struct shunt_region *region = dev->region;

	dev->region = NULL;
	dev->attached = false;
	if (region && atomic_fetch_sub(&region->attached, 1) == 1 && region->own)
		shunt_region_discard(region);
}

void shunt_region_undo(struct shunt_dev *dev)
{
	if (!dev->attached)
		shunt_region_leave(dev);
}

int shunt_region_need(
	struct shunt_dev *dev, const struct shunt_region_opts *opts, struct shunt_err *err)
{
	struct shunt_region *region = dev->region;

	if (!region) {
		int rc = shunt_region_create(&region, opts, err);
		if (rc)
			return rc;
		region->own = true;
		shunt_region_join(dev, region);
		dev->info.memory += region->info.len;
	}
	shunt_fact(dev, "huge_pages", "%s", region->info.huge ? "yes" : "no");
	if (*region->info.note)
		shunt_note(dev, "%s", region->info.note);
	return 0;
}

int shunt_attach(struct shunt_dev *dev, struct shunt_region *region, struct shunt_err *err)
{
	const char *scheme = dev->drv->scheme;

	if (!dev->drv->takes_region)
		return shunt_fail(err, -ENOTSUP, NULL,
			"%s: lends its own memory, none can be attached", scheme);
	if (dev->state != SHUNT_OPENED)
		return shunt_fail(
			err, -EBUSY, "attach before start", "%.120s is running", dev->spec.text);
	if (region->info.lent)
		return shunt_fail(err, -ENOTSUP, "attach a region of shunt_region_create",
			"%s: region %u is another device's memory", scheme, region->info.id);
	if (dev->region)
		return shunt_fail(err, -EBUSY, "detach the other first",
			"%s: takes one region, and has %u", scheme, dev->region->info.id);
	int rc = dev->drv->attach ? dev->drv->attach(dev, region, err) : 0;
	if (rc)
		return rc;
	shunt_region_join(dev, region);
	dev->attached = true;
	return 0;
}

int shunt_detach(struct shunt_dev *dev, struct shunt_region *region, struct shunt_err *err)
{
	if (!dev->drv->takes_region)
		return shunt_fail(
			err, -ENOTSUP, NULL, "%s: has no region to detach", dev->drv->scheme);
	if (dev->state != SHUNT_OPENED)
		return shunt_fail(
			err, -EBUSY, "close the device", "%.120s was started", dev->spec.text);
	if (dev->region != region)
		return shunt_fail(err, -EINVAL, NULL, "%s: region %u is not attached",
			dev->drv->scheme, region->info.id);
	int rc = dev->drv->detach ? dev->drv->detach(dev, region, err) : 0;
	if (!rc)
		shunt_region_leave(dev);
	return rc;
}
