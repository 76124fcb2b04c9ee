/* SPDX-License-Identifier: BSD-2-Clause
 * The XDP program: loaded before the sockets, attached after them.
 */
#include "drivers/af_xdp/af_xdp.h"

#include <errno.h>

int afxdp_program_load(struct shunt_dev *dev, struct shunt_err *err)
{
	struct afxdp *a = dev->priv;
	struct shunt_redirect_opts opts = {.ifindex = dev->info.ifindex,
		.ifname = dev->info.ifname,
		.attach = a->attach,
		.drop = a->drop,
		.queues = a->queues};

	return shunt_redirect_open(&a->prog, &opts, err);
}

/* A card may reset when it takes a program, and its link is then down for seconds: what TX holds
 * meanwhile would wait, and what comes would be lost. Drivers have no zero-copy beside a program in
 * skb mode: the kernel would copy, and say that it does not. */
int afxdp_program_attach(struct shunt_dev *dev, struct shunt_err *err)
{
	struct afxdp *a = dev->priv;
	bool had_link = afxdp_setting(dev, "carrier") > 0;
	int rc = shunt_redirect_attach(a->prog, err);

	if (rc == -EBUSY && !afxdp_can(dev, SHUNT_RX)) {
		shunt_note(
			dev, "%s has another program's XDP program: left alone", dev->info.ifname);
		shunt_redirect_close(a->prog);
		a->prog = NULL;
		return 0;
	}
	if (!rc && a->queue[0].zc && shunt_redirect_is_skb(a->prog))
		rc = shunt_fail(err, -ENOTSUP, "use mode=copy",
			"xdp: zero-copy needs the program attached natively: %s",
			shunt_redirect_fallback(a->prog));
	if (!rc && had_link)
		afxdp_link_wait(dev);
	return rc;
}
