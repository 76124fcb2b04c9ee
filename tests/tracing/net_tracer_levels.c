/* SPDX-License-Identifier: BSD-2-Clause
 * Function probes and tracepoints on the same copies, by one tracer: where both count they must
 * agree, and where only the functions do they must count what was sent. Skipped where the kernel
 * refuses fentry.
 */
#include "tests/net.h"

#if defined HAVE_TRACING && defined HAVE_XDPGEN
#include "tests/drivers/xsk.h"

#define SIZE 512u

static void aim(
	struct shunt_tracer *t, const struct shunt_identity *id, enum shunt_trace_level most)
{
	struct shunt_trace_thread me = self();
	struct shunt_trace_opts opts = {.what = SHUNT_TRACE_COPIES,
		.queues = id,
		.nqueues = 1,
		.threads = &me,
		.nthreads = 1,
		.most = most};
	struct shunt_err err;

	cr_assert_eq(shunt_tracer_retarget(t, &opts, &err), 0, "%s", err.what);
}

/* Hits of a probe; -1 if it isn't among the tracer's. */
static long hits(struct shunt_tracer *t, const char *name)
{
	struct shunt_probe_info p[SHUNT_PROBES_MAX];
	unsigned n = shunt_tracer_probes(t, p, SHUNT_PROBES_MAX);

	for (unsigned i = 0; i < n; i++) {
		if (strcmp(p[i].name, name))
			continue;
		cr_assert(p[i].attached, "%s: %s", name, p[i].reason);
		return (long)p[i].hits;
	}
	return -1;
}

struct path {
	struct shunt_identity id;
	void (*run)(void *ctx);
	void *ctx;
	const char *function, *source; /* source: its beginning at level F */
	enum shunt_provenance at_t;
};

/* A tracer with function probes. Loading is slow on a slow machine, so many paths share one. */
static struct shunt_tracer *must_use_functions(void)
{
	struct shunt_identity id = identity(SHUNT_KIND_USER, -1, NULL);
	struct shunt_tracer *t = must_trace(SHUNT_TRACE_COPIES, &id, 1);
	enum shunt_trace_level allowed = shunt_trace_level();

	start(t);
	stop(t);
	cr_assert_eq(shunt_tracer_level(t), allowed == SHUNT_LEVEL_F ? allowed : SHUNT_LEVEL_T);
	if (allowed == SHUNT_LEVEL_F)
		return t;
	shunt_tracer_close(t);
	cr_skip_test(
		"level %s: this kernel refuses fentry programs", shunt_trace_level_name(allowed));
}

/* At both levels, with one tracer; 0 when nothing is sent. */
static void both_agree(struct shunt_tracer *t, const struct path *p)
{
	for (int functions = 0; functions < 3; functions++) {
		bool quiet = functions == 2;
		aim(t, &p->id, functions ? SHUNT_LEVEL_NONE : SHUNT_LEVEL_T);
		start(t);
		cr_assert_eq(shunt_tracer_level(t), functions ? SHUNT_LEVEL_F : SHUNT_LEVEL_T);
		if (!quiet)
			p->run(p->ctx);
		settle(t, quiet ? 0 : FRAMES);
		struct shunt_trace_counts c = stop(t);
		is(&c.copies, quiet ? 0 : FRAMES, functions ? SHUNT_MEASURED : p->at_t);
		cr_assert_eq(hits(t, p->function), !functions ? -1 : quiet ? 0 : FRAMES);
		if (functions)
			cr_assert_eq(strncmp(c.copies.source, p->source, strlen(p->source)), 0,
				"%s", c.copies.source);
		if (functions || p->at_t == SHUNT_MEASURED)
			is(&c.copied_bytes, quiet ? 0 : FRAMES * SIZE, SHUNT_MEASURED);
	}
}

struct sockets {
	int near, far;
};

static void send_and_receive(void *ctx)
{
	const struct sockets *s = ctx;

	send_frames(s->far, FRAMES, SIZE);
	drain(s->near, FRAMES, SIZE);
}

static void only_send(void *ctx)
{
	const struct sockets *s = ctx;

	send_frames(s->far, FRAMES, SIZE);
}

static void agree_on_a_packet_socket(struct shunt_tracer *t, const struct bench_lab *lab)
{
	struct sockets s = {packet_socket(lab->near_ns, lab->near_ifindex, ETH_P_IP),
		packet_socket(lab->far_ns, lab->far_ifindex, 0)};
	struct path p = {identity(SHUNT_KIND_PACKET, s.near, lab), send_and_receive, &s,
		"fexit/skb_copy_datagram_iter",
		"fexit/skb_copy_datagram_iter = tp_btf/skb_copy_datagram_iovec, sock_send_length",
		SHUNT_MEASURED};

	both_agree(t, &p);
	/* The functions run, for another socket. */
	s.near = packet_socket(lab->near_ns, lab->near_ifindex, ETH_P_IP);
	refuse_all(p.id.fd);
	start(t);
	send_and_receive(&s);
	struct shunt_trace_counts c = stop(t);
	is(&c.copies, 0, SHUNT_MEASURED);
	cr_assert_eq(hits(t, "fexit/skb_copy_datagram_iter"), 0);
	close(s.near);
}

static void agree_on_a_ring(struct shunt_tracer *t, const struct bench_lab *lab)
{
	struct sockets s = {ring_socket(lab), packet_socket(lab->far_ns, lab->far_ifindex, 0)};
	struct path p = {identity(SHUNT_KIND_RING, s.near, lab), only_send, &s,
		"fentry/skb_copy_bits", "fentry/skb_copy_bits in tpacket_rcv", SHUNT_DERIVED};
	int other = ring_socket(lab);

	both_agree(t, &p);
	/* Refused packets, and packets into another ring. */
	refuse_all(s.near);
	start(t);
	only_send(&s);
	settle(t, 0);
	struct shunt_trace_counts c = stop(t);
	is(&c.copies, 0, SHUNT_MEASURED);
	cr_assert_eq(hits(t, "fentry/tpacket_rcv"), FRAMES);
	cr_assert_eq(hits(t, "fexit/tpacket_rcv"), FRAMES);
	cr_assert_eq(hits(t, "fentry/skb_copy_bits"), 0);
	/* Function probes do not need the socket at stop. */
	p.id.fd = ring_socket(lab);
	aim(t, &p.id, SHUNT_LEVEL_NONE);
	start(t);
	only_send(&s);
	settle(t, FRAMES);
	close(p.id.fd);
	c = stop(t);
	is(&c.copies, FRAMES, SHUNT_MEASURED);
	close(other);
	close(s.near);
}

/* A user-space NIC driver: counts packets that reach its thread through the kernel. */
static void agree_on_a_thread(struct shunt_tracer *t, const struct bench_lab *lab)
{
	struct sockets s = {packet_socket(lab->near_ns, lab->near_ifindex, ETH_P_IP),
		packet_socket(lab->far_ns, lab->far_ifindex, 0)};
	struct path p = {identity(SHUNT_KIND_USER, -1, NULL), send_and_receive, &s,
		"fexit/skb_copy_datagram_iter",
		"fexit/skb_copy_datagram_iter = tp_btf/skb_copy_datagram_iovec of the threads",
		SHUNT_MEASURED};

	both_agree(t, &p);
}

Test(tracer_levels, agree_on_sockets)
{
	NEED_LAB(lab);
	struct shunt_tracer *t = must_use_functions();

	agree_on_a_packet_socket(t, &lab);
	agree_on_a_ring(t, &lab);
	agree_on_a_thread(t, &lab);
	shunt_tracer_close(t);
	bench_lab_close(&lab);
}

struct xsk_path {
	struct xsk x;
	struct shunt_dev *live;
};

static void receive_xsk(void *ctx)
{
	struct xsk_path *p = ctx;

	send_live(p->live, FRAMES, SIZE);
	cr_assert_eq(drain_xsk(&p->x, FRAMES * SIZE), (unsigned)FRAMES);
}

static void agree_on_xsk(struct shunt_tracer *t, bool skb_mode)
{
	NEED_LAB(lab);
	struct xsk_opts o = {.skb_mode = skb_mode, .rx = 2048, .fill = 2048};
	struct xsk_path x = {
		open_xsk(&lab, &o), must_open(SHUNT_TX, "xdpgen:far0?netns=%s", lab.far_path)};
	struct path p = {identity(SHUNT_KIND_XSK, x.x.fd, &lab), receive_xsk, &x, "fexit/__xsk_rcv",
		"fexit/__xsk_rcv = tp_btf/xdp_redirect, fentry/skb_store_bits", SHUNT_MEASURED};

	p.id.skb_mode = skb_mode;
	both_agree(t, &p);
	shunt_close(x.live, NULL);
	bench_lab_close(&lab);
}

/* A send in copy mode: a copy into an skb, which has no tracepoint. */
static void count_what_an_xsk_sends(struct shunt_tracer *t)
{
	NEED_LAB(lab);
	struct shunt_dev *dev = must_open(SHUNT_TX, "xdp:near0?mode=copy&netns=%s", lab.near_path);
	struct shunt_queue *q = shunt_get_queue(dev, 0);
	struct shunt_identity id;
	struct shunt_pkt p;

	shunt_queue_identity(q, &id);
	aim(t, &id, SHUNT_LEVEL_NONE);
	start(t);
	for (int i = 0; i < FRAMES; i++) {
		for (int tries = 0; !shunt_alloc(q, &p, 1) && tries < 1000; tries++)
			shunt_tx(q, &p, 0); /* reaps */
		udp_frame(p.data, SIZE);
		p.len = SIZE;
		for (int tries = 0; !shunt_tx(q, &p, 1) && tries < 1000; tries++)
			;
	}
	shunt_stop(dev, NULL);
	struct shunt_trace_counts c = stop(t);
	is(&c.copies, FRAMES, SHUNT_MEASURED);
	is(&c.copied_bytes, FRAMES * SIZE, SHUNT_MEASURED);
	cr_assert_eq(hits(t, "fentry/skb_store_bits"), FRAMES);
	cr_assert_eq(hits(t, "fexit/__xsk_rcv"), 0);
	shunt_close(dev, NULL);
	bench_lab_close(&lab);
}

Test(tracer_levels, agree_on_af_xdp)
{
	struct shunt_tracer *t = must_use_functions();

	agree_on_xsk(t, false);
	agree_on_xsk(t, true);
	count_what_an_xsk_sends(t);
	shunt_tracer_close(t);
}

#else

Test(tracer_levels, is_built)
{
	cr_skip_test("built without tracing, or without live frames");
}

#endif
