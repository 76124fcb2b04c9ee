/* SPDX-License-Identifier: BSD-2-Clause
 * Devices: the part of open, start, stop and close that is the same for every driver.
 */
#include "core/netns.h"
#include "drivers/core/driver.h"
#include "drivers/core/netdev.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NETNS_FORM "netns= takes a path like /run/netns/NAME or /proc/PID/ns/net"

const struct shunt_key shunt_common_keys[] = {
	{"wait", SHUNT_KEY_CHOICE, "spin|poll", 0, 0},
	{"depth", SHUNT_KEY_NUMBER, "a number of frames", 64, 1u << 20},
	{"netns", SHUNT_KEY_TEXT, "the path of a network namespace", 0, 0},
	{"fd", SHUNT_KEY_NUMBER, "an open descriptor", 0, 1u << 20},
	{NULL, SHUNT_KEY_TEXT, NULL, 0, 0},
};

static const struct shunt_driver *by_scheme(const char *scheme, char *known, size_t size)
{
	const struct shunt_driver *d;
	size_t used = 0;

	for (unsigned i = 0; (d = shunt_driver_table(i)); i++) {
		if (!strcmp(d->scheme, scheme))
			return d;
		if (used < size)
			used += (size_t)snprintf(
				known + used, size - used, "%s%s", i ? ", " : "", d->scheme);
	}
	return NULL;
}

static int read_spec(
	struct shunt_dev *dev, const char *spec, enum shunt_dir dir, struct shunt_err *err)
{
	char known[128] = "";
	int rc = shunt_spec_parse(&dev->spec, spec, err);

	if (rc)
		return rc;
	if (!strcmp(dev->spec.scheme, "live"))
		return shunt_fail_usage(err, -EINVAL, "xdpgen:IF is its name now",
			"there is no driver 'live': it captures nothing, it generates frames");
	dev->drv = by_scheme(dev->spec.scheme, known, sizeof known);
	if (!dev->drv)
		return shunt_fail_usage(err, -EINVAL, "`shunt devices` lists them",
			"'%.40s' is no driver; there are %s", dev->spec.scheme, known);
	rc = shunt_spec_check(&dev->spec, shunt_common_keys, dev->drv->keys, err);
	if (rc)
		return rc;
	if ((dev->drv->dirs & (unsigned)dir) != (unsigned)dir)
		return shunt_fail_usage(err, -EINVAL, NULL, "%s: cannot %s", dev->drv->scheme,
			dir == SHUNT_RX   ? "receive"
			: dir == SHUNT_TX ? "transmit"
					  : "do both");
	dev->dir = dir;
	dev->info.wait = shunt_spec_is(&dev->spec, "wait", "poll", false) ? SHUNT_WAIT_POLL
			 : shunt_spec_is(&dev->spec, "wait", "adaptive", false)
				 ? SHUNT_WAIT_ADAPTIVE
				 : SHUNT_WAIT_SPIN;
	dev->depth = (uint32_t)shunt_spec_number(&dev->spec, "depth", dev->drv->depth);
	dev->info.depth = dev->depth;
	dev->fd = (int)shunt_spec_number(&dev->spec, "fd", (uint64_t)-1);
	dev->info.driver = dev->drv->name;
	dev->info.scheme = dev->drv->scheme;
	snprintf(dev->info.spec, sizeof dev->info.spec, "%s", spec);
	return 0;
}

static int open_netns(struct shunt_dev *dev, struct shunt_err *err)
{
	const char *path = shunt_spec_get(&dev->spec, "netns", NULL);

	if (path) {
		dev->netns = open(path, O_RDONLY | O_CLOEXEC);
		if (dev->netns < 0)
			return shunt_fail_usage(
				err, -errno, NETNS_FORM, "netns=%.120s: %s", path, strerror(errno));
	}
	dev->info.netns = shunt_netns_inode(dev->netns);
	return 0;
}

/* Run one control call with the thread inside the device's network namespace. */
static int inside(struct shunt_dev *dev, int (*call)(struct shunt_dev *, struct shunt_err *),
	struct shunt_err *err)
{
	int back = shunt_netns_enter(dev->netns);

	if (back == -EINVAL)
		return shunt_fail_usage(err, back, NETNS_FORM,
			"%.120s: that is no network namespace", dev->spec.text);
	if (back < -1)
		return shunt_fail(err, back, "network namespaces need CAP_SYS_ADMIN",
			"cannot enter the namespace of %.120s: %s", dev->spec.text,
			strerror(-back));
	int rc = call(dev, err);
	int left = shunt_netns_leave(back);
	if (!rc && left)
		rc = shunt_fail(err, left, NULL, "cannot leave the namespace of %.120s: %s",
			dev->spec.text, strerror(-left));
	return rc;
}

static int resolve_and_open(struct shunt_dev *dev, struct shunt_err *err)
{
	int rc = dev->drv->is_netdev ? shunt_netdev_resolve(dev, err) : 0;

	return rc ? rc : dev->drv->open(dev, err);
}

static void free_dev(struct shunt_dev *dev)
{
	if (dev->netns >= 0)
		close(dev->netns);
	pthread_mutex_destroy(&dev->say);
	free(dev);
}

int shunt_open(struct shunt_dev **out, const char *spec, enum shunt_dir dir, struct shunt_err *err)
{
	struct shunt_dev *dev = calloc(1, sizeof *dev);

	*out = NULL;
	if (!dev)
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	pthread_mutex_init(&dev->say, NULL);
	dev->netns = -1;
	dev->fd = -1;
	int rc = read_spec(dev, spec, dir, err);
	if (!rc)
		rc = open_netns(dev, err);
	if (!rc)
		rc = inside(dev, resolve_and_open, err);
	if (rc) {
		free_dev(dev);
		return rc;
	}
	*out = dev;
	return 0;
}

int shunt_start(struct shunt_dev *dev, struct shunt_err *err)
{
	if (dev->state != SHUNT_OPENED)
		return shunt_fail(
			err, -EALREADY, NULL, "%.120s was started before", dev->spec.text);
	int rc = inside(dev, dev->drv->start, err);
	if (rc)
		return rc;
	for (unsigned i = 0; i < dev->nqueues; i++)
		dev->queue[i]->waits = dev->nqueues > 1;
	dev->state = SHUNT_STARTED;
	return 0;
}

int shunt_stop(struct shunt_dev *dev, struct shunt_err *err)
{
	(void)err;
	if (dev && dev->state == SHUNT_STARTED) {
		dev->drv->stop(dev);
		dev->state = SHUNT_STOPPED;
	}
	return 0;
}

int shunt_close(struct shunt_dev *dev, struct shunt_err *err)
{
	if (!dev)
		return 0;
	shunt_stop(dev, err);
	for (unsigned i = 0; i < dev->nqueues; i++)
		if (dev->queue[i] && dev->queue[i]->out)
			return shunt_fail(err, -EBUSY, "release them to their queue first",
				"%.120s: queue %u has %u packets out", dev->spec.text, i,
				dev->queue[i]->out);
	dev->drv->close(dev);
	shunt_region_leave(dev);
	free_dev(dev);
	return 0;
}
