/* SPDX-License-Identifier: BSD-2-Clause
 * xdpgen: transmit only. The kernel makes the frames: a BPF test run hands pages to a program,
 * which fills each from a slot of mapped memory and redirects it to the interface
 * (net/bpf/test_run.c, Linux 5.18). A frame that arrives that way was never an skb, so that the
 * receiving side is measured alone. Slots are free again when the call returns: tx is synchronous,
 * nothing is in flight, and all of the receiver's NAPI may run inside the call.
 */
#include "drivers/xdpgen/xdpgen.h"

#include "core/link_xdp.h"
#include "drivers/core/probe.h"
#include "drivers/core/region.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const struct shunt_key keys[] = {
	{NULL, SHUNT_KEY_TEXT, NULL, 0, 0},
};

static unsigned xdpgen_alloc(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	struct xdpgen_queue *lq = (struct xdpgen_queue *)q;

	if (n > lq->nfree)
		n = lq->nfree;
	for (unsigned i = 0; i < n; i++) {
		uint32_t slot = lq->free[--lq->nfree];
		pkts[i] = (struct shunt_pkt){.data = lq->gen.slots[slot].data,
			.len = XDPGEN_FRAME,
			.cookie = slot,
			.region = lq->region->info.id,
			.queue = q->index};
	}
	q->out += n;
	return n;
}

static void xdpgen_release(struct shunt_queue *q, const struct shunt_pkt *pkts, unsigned n)
{
	struct xdpgen_queue *lq = (struct xdpgen_queue *)q;

	for (unsigned i = 0; i < n; i++)
		lq->free[lq->nfree++] = (uint32_t)pkts[i].cookie;
	q->out -= n;
}

/* The slot that holds the packet: its own, or one that it is copied to. -1 when none is free. */
static int64_t slot_of(struct xdpgen_queue *lq, struct shunt_pkt *p)
{
	if (p->region == lq->region->info.id) {
		lq->q.out--;
		return (int64_t)p->cookie;
	}
	if (!lq->nfree)
		return -1;
	uint32_t slot = lq->free[--lq->nfree];
	memcpy(lq->gen.slots[slot].data, p->data, p->len);
	p->flags |= SHUNT_PKT_KEPT;
	SHUNT_COUNT(&lq->q, user_copies, 1);
	SHUNT_COUNT(&lq->q, user_copied_bytes, p->len);
	return slot;
}

static bool fits(const struct xdpgen_queue *lq, const struct shunt_pkt *p)
{
	return p->len >= XDPGEN_MIN && p->len <= lq->q.dev->info.max_frame;
}

/* Taken, and lost by name: too short or too long for the interface. */
static void refuse(struct xdpgen_queue *lq, struct shunt_pkt *p)
{
	if (p->region == lq->region->info.id)
		xdpgen_release(&lq->q, p, 1);
	else
		p->flags |= SHUNT_PKT_KEPT;
	SHUNT_COUNT(&lq->q, tx_errors, 1);
}

static void send_chain(struct xdpgen_queue *lq, uint32_t first, unsigned n, uint32_t longest)
{
	struct xdpgen_run *run = lq->gen.run;

	memset(run, 0, sizeof *run);
	run->at = first;
	/* One batch: a signal ends a test run only between two. */
	shunt_xdpgen_call(&lq->gen, n, n, longest);
	SHUNT_COUNT(&lq->q, syscalls, 1);
	lq->offered += run->sent;
	SHUNT_COUNT(&lq->q, tx_errors, n - run->sent);
}

static int xdpgen_tx(struct shunt_queue *q, struct shunt_pkt *pkts, unsigned n)
{
	struct xdpgen_queue *lq = (struct xdpgen_queue *)q;
	uint32_t slots[SHUNT_BURST_MAX], longest = XDPGEN_MIN;
	unsigned taken = 0, used = 0;
	int rc = xdpgen_check_link(lq);

	if (rc)
		return rc;
	for (; taken < n && taken < SHUNT_BURST_MAX; taken++) {
		struct shunt_pkt *p = &pkts[taken];
		SHUNT_COUNT(q, tx_bytes, p->len);
		if (!fits(lq, p)) {
			refuse(lq, p);
			continue;
		}
		int64_t slot = slot_of(lq, p);
		if (slot < 0)
			break;
		lq->gen.slots[slot].len = p->len;
		if (used)
			lq->gen.slots[slots[used - 1]].next = (uint32_t)slot;
		slots[used++] = (uint32_t)slot;
		longest = p->len > longest ? p->len : longest;
	}
	if (used)
		send_chain(lq, slots[0], used, longest);
	while (used)
		lq->free[lq->nfree++] = slots[--used];
	SHUNT_COUNT(q, tx_packets, taken);
	SHUNT_COUNT(q, tx_bursts, taken > 0);
	SHUNT_COUNT(q, tx_short, taken < n);
	SHUNT_PROBE_TX(q, taken);
	return (int)taken;
}

static int xdpgen_open(struct shunt_dev *dev, struct shunt_err *err)
{
	struct xdpgen_queue *lq;

	if (dev->fd >= 0)
		return shunt_fail_usage(err, -EINVAL, NULL, "xdpgen: takes no fd=");
	lq = calloc(1, sizeof *lq);
	if (!lq)
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	lq->sock = -1;
	lq->gen.spare_ns = -1;
	dev->priv = lq;
	dev->nqueues = 1;
	if (dev->info.max_frame > XDPGEN_FRAME) {
		shunt_note(dev, "frames above %u bytes are not sent: a slot has no more room",
			XDPGEN_FRAME);
		dev->info.max_frame = XDPGEN_FRAME;
	}
	return 0;
}

/* Frames that are redirected to a driver that can't take any vanish without a word. A veth can, but
 * says so only while its peer has NAPI on: that may come later, so flood is where it is found. */
static int can_take(
	const struct shunt_dev *dev, const struct xdpgen_queue *lq, struct shunt_err *err)
{
	uint64_t features;

	if (lq->last.known || shunt_link_xdp_features(dev->info.ifindex, &features))
		return 0;
	if (features & SHUNT_XDP_NDO_XMIT)
		return 0;
	return shunt_fail_usage(err, -EOPNOTSUPP, "use packet: there, or xdpgen: on a veth",
		"xdpgen: the driver of '%.40s' takes no XDP frames (no ndo_xdp_xmit)",
		dev->info.ifname);
}

static void describe(struct shunt_dev *dev, struct xdpgen_queue *lq)
{
	snprintf(dev->info.mode, sizeof dev->info.mode, "live XDP frames from %u slots",
		lq->gen.nslots);
	shunt_fact(dev, "spare_veth", "%s", lq->gen.spare ? "yes" : "no");
	if (*lq->gen.note)
		shunt_note(dev, "%s", lq->gen.note);
	if (!lq->last.known)
		shunt_note(dev,
			"%s does not count XDP frames that it refuses: sent is what was offered",
			dev->info.ifname);
	shunt_fact(dev, "refused_counted", "%s", lq->last.known ? "yes" : "no");
}

/* Undo start, wholly or where it failed half-way. */
static void release_all(struct xdpgen_queue *lq)
{
	shunt_region_destroy(lq->region, NULL);
	lq->region = NULL;
	shunt_xdpgen_close(&lq->gen);
	if (lq->sock >= 0)
		close(lq->sock);
	lq->sock = -1;
	free(lq->free);
	lq->free = NULL;
	lq->nfree = 0;
}

static int make_slots(struct shunt_dev *dev, struct xdpgen_queue *lq, struct shunt_err *err)
{
	int rc = shunt_region_lend(&lq->region, lq->gen.slots, (size_t)lq->gen.nslots * XDPGEN_SLOT,
		(size_t)sysconf(_SC_PAGESIZE), err);

	if (rc)
		return rc;
	lq->free = malloc(lq->gen.nslots * sizeof *lq->free);
	if (!lq->free)
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	for (uint32_t i = lq->gen.nslots; i;)
		lq->free[lq->nfree++] = --i;
	dev->info.memory = lq->region->info.len;
	return 0;
}

static int xdpgen_start(struct shunt_dev *dev, struct shunt_err *err)
{
	struct xdpgen_queue *lq = dev->priv;
	int rc = shunt_xdpgen_open(&lq->gen, dev->depth, err);

	if (!rc)
		rc = shunt_xdpgen_aim(&lq->gen, dev->info.ifindex, err);
	if (!rc)
		rc = make_slots(dev, lq, err);
	if (!rc) {
		lq->sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		if (lq->sock < 0)
			rc = shunt_fail(err, -errno, NULL, "socket: %s", strerror(errno));
	}
	shunt_queue_init(&lq->q, dev, 0);
	if (!rc) {
		xdpgen_read_counters(lq, &lq->last);
		rc = can_take(dev, lq, err);
	}
	if (rc) {
		release_all(lq);
		return rc;
	}
	lq->q.tx = xdpgen_tx;
	lq->q.alloc = xdpgen_alloc;
	lq->q.release = xdpgen_release;
	describe(dev, lq);
	return 0;
}

static void xdpgen_stop(struct shunt_dev *dev)
{
	struct xdpgen_queue *lq = dev->priv;
	struct xdpgen_settled settled;

	lq->q.tx = shunt_no_tx;
	if (lq->offered && xdpgen_settle(lq, &settled))
		shunt_note(dev, "the interface is gone: what it refused last is not known");
}

static void xdpgen_close(struct shunt_dev *dev)
{
	release_all(dev->priv);
	free(dev->priv);
}

static int xdpgen_ledger(struct shunt_dev *dev, struct shunt_ledger *ledger, struct shunt_err *err)
{
	(void)dev, (void)err;
	ledger->received_source = "nothing: it only transmits";
	return 0;
}

static void xdpgen_identity(const struct shunt_queue *q, struct shunt_identity *id)
{
	(void)q;
	id->kind = SHUNT_KIND_XDPGEN;
}

const struct shunt_driver shunt_driver_xdpgen = {
	.name = "xdpgen",
	.scheme = "xdpgen",
	.summary = "XDP frames that the kernel makes, sent out of an interface",
	.example = "xdpgen:far0",
	.dirs = SHUNT_TX,
	.is_netdev = true,
	.keys = keys,
	.memory = (uint64_t)SHUNT_DEPTH * XDPGEN_SLOT,
	.usable = shunt_xdpgen_usable,
	.open = xdpgen_open,
	.start = xdpgen_start,
	.stop = xdpgen_stop,
	.close = xdpgen_close,
	.ledger = xdpgen_ledger,
	.identity = xdpgen_identity,
	.flood = xdpgen_flood,
};
