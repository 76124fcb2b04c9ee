/* SPDX-License-Identifier: BSD-2-Clause
 * What really happened, and the ledger. received is the program's count, summed over CPUs; losses
 * come from each socket's XDP_STATISTICS. In copy mode rx_dropped counts frames that found FILL
 * empty, which rx_fill_ring_empty_descs counts too, one each, and frames longer than a chunk's
 * room; rx_ring_full is apart (net/xdp/xsk.c, xsk_rcv_check, __xsk_rcv, xp_alloc).
 * With zero-copy a driver that finds FILL empty never shows the frame to the program.
 */
#include "drivers/af_xdp/af_xdp.h"
#include "drivers/af_xdp/ring.h"

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
	const struct shunt_region_info *info = &a->region->info;

	shunt_fact(dev, "huge_pages", "%s", info->huge ? "yes" : "no");
	if (afxdp_can(dev, SHUNT_RX))
		shunt_fact(dev, "depth", "%u frames: RX %u, FILL %u", a->rx_size, a->rx_size,
			a->target);
	else
		shunt_fact(dev, "depth", "TX %u", AFXDP_TX_ROOM);
	shunt_fact(dev, "longest", "%u bytes", info->chunk - AFXDP_HEADROOM);
	if (*info->note)
		shunt_note(dev, "%s", info->note);
}

static void describe_attach(struct shunt_dev *dev)
{
	const struct afxdp *a = dev->priv;

	shunt_fact(dev, "attach", "%s",
		!a->prog                         ? "none, transmit only"
		: shunt_redirect_is_skb(a->prog) ? "skb"
						 : "native");
	if (a->prog && *shunt_redirect_fallback(a->prog))
		shunt_note(dev, "%s: skb mode instead, which costs an skb a frame",
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
		shunt_fact(dev, "tx_budget", "%u frames a call", a->queue[0].budget);
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

int afxdp_ledger(struct shunt_dev *dev, struct shunt_ledger *ledger, struct shunt_err *err)
{
	struct afxdp *a = dev->priv;
	struct shunt_redirect_counts c = {.seen = 0};
	uint64_t full = 0, empty = 0, dropped = 0, waiting = 0;
	bool receives = afxdp_can(dev, SHUNT_RX);
	int rc = receives ? shunt_redirect_read(a->prog, &c) : 0;

	for (unsigned i = 0; !rc && receives && i < dev->nqueues; i++) {
		struct xdp_statistics s;
		rc = afxdp_statistics(&a->queue[i], &s);
		full += s.rx_ring_full;
		dropped += s.rx_dropped;
		empty += a->queue[i].zc ? 0 : s.rx_fill_ring_empty_descs;
		waiting += afxdp_waiting(&a->queue[i].rx);
	}
	if (rc)
		return shunt_fail(err, rc, NULL, "xdp: cannot read the counters of %.40s: %s",
			dev->info.ifname, strerror(-rc));
	ledger->received = a->all ? c.seen : c.seen - c.passed;
	ledger->received_source = "the XDP program's count";
	shunt_add_loss(ledger, "ring_full", full,
		"found no room in RX: the application was too slow (XDP_STATISTICS)");
	shunt_add_loss(ledger, "fill_empty", empty,
		"found no chunk in FILL: the application held too many (XDP_STATISTICS)");
	shunt_add_loss(ledger, "too_long", dropped - empty,
		"longer than a chunk's room (XDP_STATISTICS rx_dropped less empty FILL)");
	shunt_add_loss(ledger, "no_socket", a->all ? c.passed : 0,
		"came on a queue that has no socket: left to the stack (XDP program)");
	shunt_add_loss(ledger, "shutdown", waiting, "in RX, and not handed out");
	return 0;
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
