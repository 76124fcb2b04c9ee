/* SPDX-License-Identifier: BSD-2-Clause
 * af_xdp: frames go from an XDP program to user space, bypassing the kernel's stack, through
 * rings in memory that both sides map. Documentation/networking/af_xdp.rst, Linux 6.18; works
 * from 5.18 (xdp.frags, bpf_link). Multi-buffer frames (XDP_USE_SG) are not taken: a frame longer
 * than a chunk less 256 bytes is lost, and counted as too_long.
 */
#include "drivers/af_xdp/af_xdp.h"
#include "drivers/af_xdp/ring.h"
#include "drivers/core/netdev.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct shunt_key keys[] = {
	{"queues", SHUNT_KEY_TEXT, "all, or a list like 0-3,7", 0, 0},
	{"mode", SHUNT_KEY_CHOICE, "auto|copy|zc", 0, 0},
	{"attach", SHUNT_KEY_CHOICE, "auto|native|skb", 0, 0},
	{"action", SHUNT_KEY_CHOICE, "redirect|drop", 0, 0},
	{"busy", SHUNT_KEY_NUMBER, "a budget of packets", 0, 65535},
	{"wakeup", SHUNT_KEY_CHOICE, "on|off", 0, 0},
	{"promisc", SHUNT_KEY_CHOICE, "on|off", 0, 0},
	{NULL, SHUNT_KEY_TEXT, NULL, 0, 0},
};

/* FILL gives the kernel its chunks in turn, so all of them pass through the caches. This many are
 * libxdp's defaults, too: XSK_RING_CONS__DEFAULT_NUM_DESCS, XSK_RING_PROD__DEFAULT_NUM_DESCS. */
#define DEPTH 2048u

/* In copy mode: FILL's target, the reserve; the rings FILL, COMPLETION and RX. */
#define MEMORY                                                                                     \
	((uint64_t)(DEPTH + SHUNT_BURST_MAX + AFXDP_RESERVE) * SHUNT_CHUNK + 2 * DEPTH * 8 +       \
		AFXDP_TX_ROOM * 8 + DEPTH * 16)

static int read_queues(struct shunt_dev *dev, struct shunt_err *err)
{
	struct afxdp *a = dev->priv;
	const char *text = shunt_spec_get(&dev->spec, "queues", "all");
	uint32_t there = afxdp_channels(dev->info.ifname);
	uint32_t most = there < SHUNT_QUEUES ? there : SHUNT_QUEUES;
	uint64_t exist = most == 64 ? ~UINT64_C(0) : (UINT64_C(1) << most) - 1;

	a->all = !strcmp(text, "all");
	if (a->all)
		a->queues = exist;
	else if (shunt_spec_list(text, &a->queues))
		return shunt_fail_usage(err, -EINVAL, NULL,
			"queues=%.60s: it takes all, or a list like 0-3,7", text);
	if (a->queues & ~exist)
		return shunt_fail_usage(err, -EINVAL, NULL, "queues=%.60s: %.40s has %u (from 0)",
			text, dev->info.ifname, there);
	if (there > most)
		shunt_note(dev, "%u of %u queues are covered: the rest is left to the stack", most,
			there);
	dev->nqueues = (unsigned)__builtin_popcountll(a->queues);
	return 0;
}

static int read_keys(struct shunt_dev *dev, struct shunt_err *err)
{
	struct afxdp *a = dev->priv;
	const struct shunt_spec *s = &dev->spec;

	a->attach = shunt_spec_is(s, "attach", "skb", false)      ? SHUNT_XDP_SKB
		    : shunt_spec_is(s, "attach", "native", false) ? SHUNT_XDP_NATIVE
								  : SHUNT_XDP_AUTO;
	a->mode = shunt_spec_is(s, "mode", "zc", false)     ? AFXDP_ZC
		  : shunt_spec_is(s, "mode", "copy", false) ? AFXDP_COPY
		  : a->attach == SHUNT_XDP_SKB              ? AFXDP_COPY
							    : AFXDP_AUTO;
	a->drop = shunt_spec_is(s, "action", "drop", false);
	a->wakeup = shunt_spec_is(s, "wakeup", "on", true);
	a->promisc = shunt_spec_is(s, "promisc", "on", true);
	a->promisc_fd = -1;
	a->busy = (uint32_t)shunt_spec_number(s, "busy", 0);
	if (dev->fd >= 0)
		return shunt_fail_usage(err, -ENOTSUP,
			"give this process the interface, or CAP_NET_RAW and CAP_BPF",
			"xdp: cannot use fd=%d: an AF_XDP socket made elsewhere is bound to the "
			"memory of the process that made it",
			dev->fd);
	if (a->busy && dev->info.wait)
		return shunt_fail_usage(err, -EINVAL, "leave out one of them",
			"xdp: busy=%u spins, wait=poll sleeps", a->busy);
	if (a->drop && dev->dir != SHUNT_RX)
		return shunt_fail_usage(err, -EINVAL, NULL, "xdp: action=drop cannot transmit");
	if (a->mode == AFXDP_ZC && a->attach == SHUNT_XDP_SKB)
		return shunt_fail_usage(err, -EINVAL, "leave out attach=skb",
			"xdp: zero-copy needs the program attached natively");
	return read_queues(dev, err);
}

static int afxdp_open(struct shunt_dev *dev, struct shunt_err *err)
{
	dev->priv = calloc(1, sizeof(struct afxdp));
	if (!dev->priv)
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	int rc = read_keys(dev, err);
	if (rc) {
		free(dev->priv);
		dev->priv = NULL;
	}
	return rc;
}

static int afxdp_attach(struct shunt_dev *dev, struct shunt_region *region, struct shunt_err *err)
{
	const struct afxdp *a = dev->priv;

	(void)region;
	return a->drop ? shunt_fail(err, -ENOTSUP, NULL, "xdp: action=drop uses no memory") : 0;
}

/* Intel's 1 and 10 Gbit/s cards are told a buffer's size in KiB (SRRCTL.BSIZEPKT): what is left of
 * 2048 bytes is 1 KiB to them, and igb splits longer frames in two, silently. So zero-copy on a
 * card has chunks of 4096 bytes. A device without a ring of its own has no zero-copy. */
static int choose_chunk(struct shunt_dev *dev, struct shunt_err *err)
{
	struct afxdp *a = dev->priv;

	a->devring = a->mode == AFXDP_COPY ? 0 : afxdp_device_ring(dev->info.ifname);
	a->chunk = a->devring ? AFXDP_ZC_CHUNK : SHUNT_CHUNK;
	if (!dev->region || dev->region->info.chunk >= a->chunk)
		return 0;
	if (a->mode == AFXDP_ZC)
		return shunt_fail_usage(err, -EINVAL, "make the region with them, or use mode=copy",
			"xdp: zero-copy wants chunks of %u bytes, region %u has %u", a->chunk,
			dev->region->info.id, dev->region->info.chunk);
	shunt_note(dev, "copy: zero-copy wants chunks of %u bytes, the region has %u", a->chunk,
		dev->region->info.chunk);
	a->mode = AFXDP_COPY;
	a->devring = 0;
	return 0;
}

/* RX holds depth frames; FILL as many, what the device's ring takes out of it for itself, and a few
 * more, so that under overload RX is full before FILL is empty, and the loss has the right name. */
static void choose_sizes(struct shunt_dev *dev)
{
	struct afxdp *a = dev->priv;
	uint32_t longest = (dev->region ? dev->region->info.chunk : a->chunk) - AFXDP_HEADROOM;

	a->rx_size = afxdp_pow2(dev->depth);
	a->target = afxdp_can(dev, SHUNT_RX) ? a->rx_size + a->devring + SHUNT_BURST_MAX
					     : AFXDP_TX_FILL;
	a->fill_size = afxdp_pow2(a->target);
	if (dev->info.max_frame > longest)
		dev->info.max_frame = longest;
}

static int make_queues(struct shunt_dev *dev, struct shunt_err *err)
{
	struct afxdp *a = dev->priv;
	uint64_t left = a->queues;

	a->queue = aligned_alloc(64, dev->nqueues * sizeof *a->queue);
	if (!a->queue)
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	memset(a->queue, 0, dev->nqueues * sizeof *a->queue);
	for (unsigned i = 0; i < dev->nqueues; i++, left &= left - 1) {
		shunt_queue_init(&a->queue[i].q, dev, i);
		a->queue[i].id = (uint32_t)__builtin_ctzll(left);
		a->queue[i].fd = -1;
	}
	return 0;
}

/* Frames arrive from the last line on: everything that takes them is there before. Intel's cards
 * have a ring for zero-copy transmit only while a program is attached, and otherwise refuse to be
 * woken (igb_xsk_wakeup(), ixgbe_xsk_wakeup()): the same program, without a socket, passes all
 * frames. */
static int start_sockets(struct shunt_dev *dev, struct shunt_err *err)
{
	struct afxdp *a = dev->priv;
	int rc = choose_chunk(dev, err);

	if (rc)
		return rc;
	choose_sizes(dev);
	rc = afxdp_bufs_open(dev, err);
	if (!rc)
		rc = afxdp_sockets_open(dev, err);
	if (!rc && !a->prog && a->queue[0].zc)
		rc = afxdp_program_load(dev, err);
	for (unsigned i = 0; !rc && i < dev->nqueues; i++) {
		afxdp_bufs_choose(&a->queue[i]);
		afxdp_rx_choose(&a->queue[i]);
		afxdp_tx_choose(&a->queue[i]);
		if (afxdp_can(dev, SHUNT_RX))
			rc = shunt_redirect_set(a->prog, a->queue[i].id, a->queue[i].fd, err);
	}
	return rc || !a->prog ? rc : afxdp_program_attach(dev, err);
}

static void undo(struct shunt_dev *dev)
{
	struct afxdp *a = dev->priv;

	shunt_redirect_close(a->prog);
	a->prog = NULL;
	if (a->promisc_fd >= 0)
		close(a->promisc_fd);
	a->promisc_fd = -1;
	afxdp_sockets_close(dev);
	afxdp_bufs_close(dev);
	for (unsigned i = 0; i < dev->nqueues; i++)
		dev->queue[i] = NULL;
	free(a->queue);
	a->queue = NULL;
}

/* No socket, nothing reaches user space: the ceiling for all other paths. */
static int start_drop(struct shunt_dev *dev, struct shunt_err *err)
{
	struct afxdp *a = dev->priv;

	for (unsigned i = 0; i < dev->nqueues; i++)
		afxdp_rx_choose(&a->queue[i]);
	return shunt_redirect_attach(a->prog, err);
}

/* As a packet socket is: a card otherwise receives only broadcasts and what is addressed to it. */
static int go_promiscuous(struct shunt_dev *dev, struct shunt_err *err)
{
	struct afxdp *a = dev->priv;

	if (!afxdp_can(dev, SHUNT_RX) || !a->promisc)
		return 0;
	a->promisc_fd = shunt_netdev_promiscuous(dev, err);
	shunt_fact(dev, "promisc", "yes");
	return a->promisc_fd < 0 ? a->promisc_fd : 0;
}

static int afxdp_start(struct shunt_dev *dev, struct shunt_err *err)
{
	struct afxdp *a = dev->priv;
	int rc = make_queues(dev, err);

	if (!rc && afxdp_can(dev, SHUNT_RX))
		rc = afxdp_program_load(dev, err);
	if (!rc)
		rc = a->drop ? start_drop(dev, err) : start_sockets(dev, err);
	if (!rc)
		rc = go_promiscuous(dev, err);
	if (rc) {
		undo(dev);
		return rc;
	}
	afxdp_describe(dev);
	return 0;
}

/* The program goes before the sockets: a frame that it has counted finds its own. But what is to be
 * sent goes before the program, since a card may reset without it. */
static void afxdp_stop(struct shunt_dev *dev)
{
	struct afxdp *a = dev->priv;

	for (unsigned i = 0; afxdp_can(dev, SHUNT_TX) && i < dev->nqueues; i++)
		afxdp_tx_stop(&a->queue[i]);
	if (a->prog)
		shunt_redirect_detach(a->prog);
	for (unsigned i = 0; i < dev->nqueues; i++)
		__atomic_store_n(&a->queue[i].stopped, true, __ATOMIC_RELAXED);
	if (a->drop)
		return;
	shunt_fact(dev, "napi_id", "%u", afxdp_napi_id(&a->queue[0]));
	if (a->busy && !afxdp_napi_id(&a->queue[0]))
		shunt_note(dev, "busy-polling did nothing: %s gives no NAPI id to poll",
			dev->info.ifname);
}

static void afxdp_close(struct shunt_dev *dev)
{
	struct afxdp *a = dev->priv;

	if (a->queue)
		undo(dev);
	free(a);
}

static void identity(const struct shunt_queue *q, struct shunt_identity *id)
{
	const struct xsk_queue *xq = (const struct xsk_queue *)q;
	const struct afxdp *a = q->dev->priv;

	id->kind = a->drop ? SHUNT_KIND_XDP : SHUNT_KIND_XSK;
	id->fd = xq->fd;
	id->queue = xq->id;
	id->zero_copy = xq->zc;
	id->skb_mode = a->prog && shunt_redirect_is_skb(a->prog);
}

static int queue_fd(struct shunt_queue *q)
{
	const struct xsk_queue *xq = (const struct xsk_queue *)q;

	return xq->fd < 0 ? -ENOTSUP : xq->fd;
}

static void idle(struct shunt_queue *q)
{
	afxdp_link_look((struct xsk_queue *)q);
}

static int arm(struct shunt_queue *q)
{
	const struct xsk_queue *xq = (const struct xsk_queue *)q;

	return xq->rx.producer && afxdp_waiting(&xq->rx) > 0;
}

const struct shunt_driver shunt_driver_xdp = {
	.name = "af_xdp",
	.scheme = "xdp",
	.summary = "AF_XDP: bypasses the kernel's stack, by an XDP program and shared rings",
	.example = "xdp:near0?attach=native",
	.dirs = SHUNT_RXTX,
	.is_netdev = true,
	.takes_region = true,
	.keys = keys,
	.depth = DEPTH,
	.memory = MEMORY,
	.usable = afxdp_usable,
	.open = afxdp_open,
	.attach = afxdp_attach,
	.start = afxdp_start,
	.stop = afxdp_stop,
	.close = afxdp_close,
	.ledger = afxdp_ledger,
	.identity = identity,
	.queue_fd = queue_fd,
	.arm = arm,
	.idle = idle,
	.flood = afxdp_flood,
};
