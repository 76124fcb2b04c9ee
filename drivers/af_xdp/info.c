/* SPDX-License-Identifier: BSD-2-Clause
 * What really happened: facts and notes.
 */
#include "drivers/af_xdp/af_xdp.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void describe_queues(struct shunt_dev *dev)
{
	const struct afxdp *a = dev->priv;
	char list[64] = "";
	size_t used = 0;

	for (unsigned i = 0; i < dev->nqueues && used < sizeof list; i++)
		used += (size_t)snprintf(
			list + used, sizeof list - used, "%s%u", i ? "," : "", a->queue[i].id);
	shunt_fact(dev, "queues", "%s", list);
}

static void describe_memory(struct shunt_dev *dev)
{
	const struct afxdp *a = dev->priv;

	if (afxdp_can(dev, SHUNT_RX))
		shunt_fact(dev, "depth", "%u frames: RX %u, FILL %u", a->rx_size, a->rx_size,
			a->target);
	else
		shunt_fact(dev, "depth", "TX %u", AFXDP_TX_ROOM);
	shunt_fact(dev, "longest", "%u bytes", dev->region->info.chunk - AFXDP_HEADROOM);
}

static void describe_attach(struct shunt_dev *dev)
{
	const struct afxdp *a = dev->priv;

	shunt_fact(dev, "attach", "%s",
		!a->prog                         ? "none, transmit only"
		: shunt_redirect_is_skb(a->prog) ? "skb"
						 : "native");
	if (a->prog && *shunt_redirect_fallback(a->prog))
		shunt_note(dev, "%s: skb mode instead, which costs an skb per frame",
			shunt_redirect_fallback(a->prog));
}

void afxdp_describe(struct shunt_dev *dev)
{
	const struct afxdp *a = dev->priv;
	bool receives = afxdp_can(dev, SHUNT_RX);
	const char *how = !receives                        ? "transmit only"
			  : shunt_redirect_is_skb(a->prog) ? "skb"
							   : "native";

	shunt_fact(dev, "action", "%s",
		a->drop    ? "drop"
		: receives ? "redirect"
		: a->prog  ? "pass"
			   : "none");
	describe_attach(dev);
	describe_queues(dev);
	if (receives && afxdp_strips_tags(dev->info.ifname))
		shunt_note(dev,
			"%s takes VLAN tags out, and XDP does not see them: `ethtool -K %s rxvlan "
			"off` leaves them in",
			dev->info.ifname, dev->info.ifname);
	if (a->drop) {
		snprintf(dev->info.mode, sizeof dev->info.mode, "XDP_DROP, %s", how);
		return;
	}
	describe_memory(dev);
	const char *mode = a->queue[0].zc ? "zero-copy" : "copy";
	shunt_fact(dev, "mode", "%s", mode);
	if (a->queue[0].budget)
		shunt_fact(dev, "tx_budget", "%u frames per call", a->queue[0].budget);
	shunt_fact(dev, "need_wakeup", "%s", a->wakeup ? "on" : "off");
	if (a->busy)
		shunt_fact(dev, "busy", "budget %u", a->busy);
	else
		shunt_fact(dev, "busy", "off");
	shunt_fact(dev, "napi_id", "%u", afxdp_napi_id(&a->queue[0]));
	if (a->refused)
		shunt_note(dev, "the driver of %s has no zero-copy for it: the kernel copies",
			dev->info.ifname);
	if (!receives)
		snprintf(dev->info.mode, sizeof dev->info.mode, "AF_XDP %s, %s, TX %u", how, mode,
			AFXDP_TX_ROOM);
	else
		snprintf(dev->info.mode, sizeof dev->info.mode,
			"AF_XDP %s, %s, RX %u + FILL %u, %s", how, mode, a->rx_size, a->target,
			a->busy          ? "busy poll"
			: dev->info.wait ? "poll"
					 : "spin");
}

int afxdp_usable(struct shunt_err *err)
{
	int fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return shunt_fail(err, -errno,
			errno == EPERM ? "run as root, or with CAP_NET_RAW"
				       : "a kernel with CONFIG_XDP_SOCKETS",
			"cannot make an AF_XDP socket: %s", strerror(errno));
	close(fd);
	return shunt_redirect_usable(err);
}
