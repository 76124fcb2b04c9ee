/* SPDX-License-Identifier: BSD-2-Clause
 * Copies around XDP: into AF_XDP sockets, and the hidden ones of a frame before the program runs.
 * Programs without a socket are built here from two instructions.
 */
#include "tests/net.h"

#if defined HAVE_TRACING && defined HAVE_XDPGEN
#include "tests/drivers/xsk.h"

/* What is traced at near0, and what sends to it. */
struct rig {
	struct bench_lab lab;
	struct xsk x;          /* without a ring: a program that drops instead */
	struct shunt_dev *gen; /* of live frames */
	int far;               /* of skbs */
	struct shunt_tracer *t;
};

static struct rig rig_open(const struct xsk_opts *o, bool by_binding, int mtu)
{
	NEED_LAB(lab);
	struct rig r = {.lab = lab, .x.fd = -1};

	set_mtu(&lab, mtu);
	if (o->rx)
		r.x = open_xsk(&lab, o);
	else
		r.x.link = attach_drop(&lab, o);
	r.far = packet_socket(lab.far_ns, lab.far_ifindex, 0);
	if (mtu == BENCH_MTU)
		r.gen = must_open(SHUNT_TX, "xdpgen:far0?netns=%s", lab.far_path);
	struct shunt_identity id =
		identity(o->rx ? SHUNT_KIND_XSK : SHUNT_KIND_XDP, by_binding ? -1 : r.x.fd, &lab);
	id.skb_mode = o->skb_mode;
	r.t = must_trace(SHUNT_TRACE_COPIES, &id, 1);
	return r;
}

static void rig_close(struct rig *r)
{
	shunt_tracer_close(r->t);
	close(r->x.link);
	shunt_close(r->gen, NULL);
	bench_lab_close(&r->lab);
}

/* FRAMES frames of each size, as live frames or as skbs of an AF_PACKET socket. A socket adds one
 * copy per frame to the hidden ones. */
struct copies {
	struct xsk_opts opts;
	bool live, socket, by_binding;
	double hidden;
	enum shunt_provenance provenance;
};

static void expect(struct copies c)
{
	static const uint32_t sizes[] = {60, 512, 1514};
	double each = c.hidden + c.socket;

	c.opts.rx = c.opts.fill = c.socket ? 2048 : 0;
	struct rig r = rig_open(&c.opts, c.by_binding, BENCH_MTU);
	for (unsigned i = 0; i < 3; i++) {
		start(r.t);
		if (c.live)
			send_live(r.gen, FRAMES, sizes[i]);
		else
			send_frames(r.far, FRAMES, sizes[i]);
		if (c.socket)
			cr_assert_eq(
				drain_xsk(&r.x, (uint64_t)FRAMES * sizes[i]), (unsigned)FRAMES);
		else
			settle(r.t, FRAMES * each);
		struct shunt_trace_counts n = stop(r.t);
		is(&n.hidden_copies, FRAMES * c.hidden, c.provenance);
		is(&n.copies, FRAMES * each, c.provenance);
		is(&n.copied_bytes, FRAMES * each * sizes[i], c.provenance);
		if (c.socket)
			is(&n.wasted_copies, 0, SHUNT_MEASURED);
		else
			cr_assert_eq(n.wasted_copies.provenance, SHUNT_UNAVAILABLE);
	}
	rig_close(&r);
}

#define COPIES(name, ...)                                                                          \
	Test(tracer_xdp, name)                                                                     \
	{                                                                                          \
		expect((struct copies){__VA_ARGS__});                                              \
	}
#define NATIVE .provenance = SHUNT_MEASURED
#define SKB    .opts.skb_mode = true, .provenance = SHUNT_MEASURED
#define PLAIN  .opts.plain = true /* a program without support for frags */

COPIES(native_mode_hides_no_copy_of_a_live_frame, NATIVE, .live = true)
COPIES(native_mode_on_veth_hides_a_copy_of_an_skb, NATIVE, .hidden = 1)
COPIES(native_mode_without_frags_hides_no_copy_of_a_live_frame, NATIVE, PLAIN, .live = true)
COPIES(native_mode_without_frags_hides_a_copy_of_an_skb, NATIVE, PLAIN, .hidden = 1)
COPIES(skb_mode_hides_no_copy_of_a_live_frame, SKB, .live = true)
COPIES(skb_mode_hides_a_copy_of_an_skb, SKB, .hidden = 1)
COPIES(a_native_socket_copies_a_live_frame_once, NATIVE, .socket = true, .live = true)
COPIES(a_native_socket_on_veth_copies_an_skb_twice, NATIVE, .socket = true, .hidden = 1)
COPIES(an_skb_mode_socket_copies_a_live_frame_once, SKB, .socket = true, .live = true)
COPIES(an_skb_mode_socket_copies_an_skb_twice, SKB, .socket = true, .hidden = 1)
COPIES(finds_a_socket_by_what_it_is_bound_to, NATIVE, .socket = true, .live = true,
	.by_binding = true)

/* For a plain program in skb mode the copy is derived from the headroom. */
#define JUDGED .opts = {.skb_mode = true, .plain = true}, .provenance = SHUNT_DERIVED
COPIES(skb_mode_without_frags_hides_no_copy_of_a_live_frame, JUDGED, .live = true)
COPIES(skb_mode_without_frags_hides_a_copy_of_an_skb, JUDGED, .hidden = 1)
COPIES(an_skb_mode_socket_without_frags_copies_a_live_frame_once, JUDGED, .socket = true,
	.live = true)
COPIES(an_skb_mode_socket_without_frags_copies_an_skb_twice, JUDGED, .socket = true, .hidden = 1)

/* far0 has a program and hidden copies, too; near0 is traced. */
Test(tracer_xdp, leaves_hidden_copies_of_other_devices_out)
{
	NEED_LAB(lab);
	struct xsk_opts o = {.skb_mode = false};
	struct bench_lab turned = lab;

	turned.near_ns = lab.far_ns;
	turned.near_ifindex = lab.far_ifindex;
	attach_drop(&lab, &o);
	attach_drop(&turned, &o);
	int near = packet_socket(lab.near_ns, lab.near_ifindex, 0);
	struct shunt_identity ids[] = {
		identity(SHUNT_KIND_XDP, -1, &lab), identity(SHUNT_KIND_XDP, -1, &turned)};
	for (int i = 0; i < 2; i++) {
		struct shunt_tracer *t = must_trace(SHUNT_TRACE_COPIES, &ids[i], 1);
		start(t);
		send_frames(near, FRAMES, 60);
		settle(t, i ? FRAMES : 0);
		struct shunt_trace_counts c = stop(t);
		is(&c.hidden_copies, i ? FRAMES : 0, SHUNT_MEASURED);
		shunt_tracer_close(t);
	}
	bench_lab_close(&lab);
}

/* Rings so small that 64 frames get through. */
static void expect_64(struct xsk_opts o, double wasted)
{
	struct rig r = rig_open(&o, false, BENCH_MTU);

	start(r.t);
	send_live(r.gen, FRAMES, 60);
	usleep(100000);
	struct shunt_trace_counts c = stop(r.t);
	struct xdp_statistics st = xsk_statistics(&r.x);
	is(&c.copies, 64, SHUNT_MEASURED);
	is(&c.wasted_copies, wasted, SHUNT_MEASURED);
	cr_assert_eq(wasted > 0 ? st.rx_ring_full : st.rx_dropped, FRAMES - 64u);
	rig_close(&r);
}

/* The copy is made before the ring turns out to be full. */
Test(tracer_xdp, counts_copies_that_a_full_ring_wastes)
{
	expect_64((struct xsk_opts){.rx = 64, .fill = 256}, FRAMES - 64);
}

Test(tracer_xdp, counts_copies_that_a_full_ring_wastes_in_skb_mode)
{
	expect_64((struct xsk_opts){.skb_mode = true, .rx = 64, .fill = 256}, FRAMES - 64);
}

Test(tracer_xdp, counts_no_copy_for_want_of_a_buffer)
{
	expect_64((struct xsk_opts){.rx = 256, .fill = 64}, 0);
}

/* 2000 bytes do not fit into a chunk without its headroom: refused before the copy. */
Test(tracer_xdp, counts_no_copy_of_a_frame_that_is_too_long)
{
	struct rig r = rig_open(&(struct xsk_opts){.rx = 2048, .fill = 2048}, false, 9000);

	start(r.t);
	send_frames(r.far, FRAMES, 2000);
	settle(r.t, FRAMES);
	struct shunt_trace_counts c = stop(r.t);
	is(&c.hidden_copies, FRAMES, SHUNT_MEASURED);
	is(&c.copies, FRAMES, SHUNT_MEASURED);
	is(&c.wasted_copies, 0, SHUNT_MEASURED);
	cr_assert_eq(xsk_statistics(&r.x).rx_dropped, (unsigned)FRAMES);
	rig_close(&r);
}

/* 4000 bytes in chunks of 2048: several descriptors, one copy per packet. */
Test(tracer_xdp, adds_up_the_descriptors_of_a_packet)
{
	struct xsk_opts o = {.many_buffers = true, .rx = 4096, .fill = 4096};
	struct rig r = rig_open(&o, false, 9000);

	start(r.t);
	send_frames(r.far, FRAMES, 4000);
	unsigned got = drain_xsk(&r.x, FRAMES * 4000u);
	struct shunt_trace_counts c = stop(r.t);
	cr_assert_gt(got, 2u * FRAMES);
	is(&c.hidden_copies, FRAMES, SHUNT_MEASURED);
	is(&c.copies, 2 * FRAMES, SHUNT_MEASURED);
	is(&c.copied_bytes, 2.0 * FRAMES * 4000, SHUNT_MEASURED);
	rig_close(&r);
}

#else

Test(tracer_xdp, is_built)
{
	cr_skip_test("built without tracing, or without live frames");
}

#endif
