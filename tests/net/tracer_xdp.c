/* SPDX-License-Identifier: BSD-2-Clause
 * Copies on the way through XDP: into AF_XDP sockets, and the hidden ones that are made of a frame
 * before a program may see it. Programs without a socket are made here of two instructions.
 */
#include "tests/net/net.h"

#if defined HAVE_TRACING && defined HAVE_LIVE
#include "tests/net/xsk.h"

#include <net/if.h>
#include <sys/ioctl.h>

static const uint32_t sizes[] = {60, 512, 1514};

/* FRAMES frames of each size, as live frames or as skbs of an AF_PACKET socket, to what drops them.
 */
static void expect_drop(bool skb_mode, bool frags, bool live, double hidden, enum shunt_how how)
{
	NEED_LAB(lab);
	struct xsk_opts o = {.skb_mode = skb_mode, .plain = !frags};
	int link = attach_drop(&lab, &o);
	int far = packet_socket(lab.far_ns, lab.far_ifindex, 0);
	struct shunt_dev *gen = must_open(SHUNT_TX, "live:far0?netns=%s", lab.far_path);
	struct shunt_identity id = identity(SHUNT_KIND_XDP, -1, &lab);
	id.skb_mode = skb_mode;
	struct shunt_tracer *t = must_trace(SHUNT_TRACE_COPIES, &id, 1);

	for (unsigned i = 0; i < 3; i++) {
		start(t);
		if (live)
			send_live(gen, FRAMES, sizes[i]);
		else
			send_frames(far, FRAMES, sizes[i]);
		settle(t, FRAMES * hidden);
		struct shunt_trace_counts c = stop(t);
		is(&c.hidden_copies, FRAMES * hidden, how);
		is(&c.copies, FRAMES * hidden, how);
		is(&c.copied_bytes, FRAMES * hidden * sizes[i], how);
		cr_assert_eq(c.wasted_copies.how, SHUNT_UNAVAILABLE);
	}
	shunt_tracer_close(t);
	close(link);
	shunt_close(gen, NULL);
	bench_lab_close(&lab);
}

Test(tracer_xdp, native_mode_hides_no_copy_of_a_live_frame)
{
	expect_drop(false, true, true, 0, SHUNT_MEASURED);
}

Test(tracer_xdp, native_mode_on_veth_hides_a_copy_of_an_skb)
{
	expect_drop(false, true, false, 1, SHUNT_MEASURED);
}

Test(tracer_xdp, native_mode_without_frags_hides_no_copy_of_a_live_frame)
{
	expect_drop(false, false, true, 0, SHUNT_MEASURED);
}

Test(tracer_xdp, native_mode_without_frags_hides_a_copy_of_an_skb)
{
	expect_drop(false, false, false, 1, SHUNT_MEASURED);
}

Test(tracer_xdp, skb_mode_hides_no_copy_of_a_live_frame)
{
	expect_drop(true, true, true, 0, SHUNT_MEASURED);
}

Test(tracer_xdp, skb_mode_hides_a_copy_of_an_skb)
{
	expect_drop(true, true, false, 1, SHUNT_MEASURED);
}

Test(tracer_xdp, skb_mode_without_frags_hides_no_copy_of_a_live_frame)
{
	expect_drop(true, false, true, 0, SHUNT_DERIVED);
}

Test(tracer_xdp, skb_mode_without_frags_hides_a_copy_of_an_skb)
{
	expect_drop(true, false, false, 1, SHUNT_DERIVED);
}

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

struct xsk_case {
	struct xsk_opts opts;
	bool live, by_binding;
	double hidden;
	enum shunt_how how;
};

static struct shunt_identity xsk_identity(
	const struct xsk *x, const struct bench_lab *lab, const struct xsk_opts *o)
{
	struct shunt_identity id = identity(SHUNT_KIND_XSK, x->fd, lab);

	id.skb_mode = o->skb_mode;
	return id;
}

static void expect_xsk(struct xsk_case c)
{
	NEED_LAB(lab);
	c.opts.rx = c.opts.fill = 2048;
	struct xsk x = open_xsk(&lab, &c.opts);
	struct shunt_dev *gen = must_open(SHUNT_TX, "live:far0?netns=%s", lab.far_path);
	int far = packet_socket(lab.far_ns, lab.far_ifindex, 0);
	struct shunt_identity id = xsk_identity(&x, &lab, &c.opts);

	if (c.by_binding)
		id.fd = -1;
	struct shunt_tracer *t = must_trace(SHUNT_TRACE_COPIES, &id, 1);
	for (unsigned i = 0; i < 3; i++) {
		start(t);
		if (c.live)
			send_live(gen, FRAMES, sizes[i]);
		else
			send_frames(far, FRAMES, sizes[i]);
		cr_assert_eq(drain_xsk(&x, (uint64_t)FRAMES * sizes[i]), (unsigned)FRAMES);
		struct shunt_trace_counts n = stop(t);
		is(&n.hidden_copies, FRAMES * c.hidden, c.how);
		is(&n.copies, FRAMES * (1 + c.hidden), c.how);
		is(&n.copied_bytes, FRAMES * (1 + c.hidden) * sizes[i], c.how);
		is(&n.wasted_copies, 0, SHUNT_MEASURED);
	}
	shunt_tracer_close(t);
	shunt_close(gen, NULL);
	bench_lab_close(&lab);
}

Test(tracer_xdp, a_native_socket_copies_a_live_frame_once)
{
	expect_xsk((struct xsk_case){.live = true, .how = SHUNT_MEASURED});
}

Test(tracer_xdp, a_native_socket_on_veth_copies_an_skb_twice)
{
	expect_xsk((struct xsk_case){.hidden = 1, .how = SHUNT_MEASURED});
}

Test(tracer_xdp, an_skb_mode_socket_copies_a_live_frame_once)
{
	expect_xsk((struct xsk_case){.opts.skb_mode = true, .live = true, .how = SHUNT_MEASURED});
}

Test(tracer_xdp, an_skb_mode_socket_copies_an_skb_twice)
{
	expect_xsk((struct xsk_case){.opts.skb_mode = true, .hidden = 1, .how = SHUNT_MEASURED});
}

Test(tracer_xdp, a_plain_program_in_skb_mode_is_judged_by_head_room)
{
	struct xsk_case c = {
		.opts = {.skb_mode = true, .plain = true}, .hidden = 1, .how = SHUNT_DERIVED};

	expect_xsk(c);
	c.live = true;
	c.hidden = 0;
	expect_xsk(c);
}

Test(tracer_xdp, finds_a_socket_by_what_it_is_bound_to)
{
	expect_xsk((struct xsk_case){.live = true, .by_binding = true, .how = SHUNT_MEASURED});
}

/* A ring of 64 with 256 buffers: the copy is made, and then there is no descriptor for it. */
static void expect_waste(bool skb_mode)
{
	NEED_LAB(lab);
	struct xsk_opts o = {.skb_mode = skb_mode, .rx = 64, .fill = 256};
	struct xsk x = open_xsk(&lab, &o);
	struct shunt_dev *gen = must_open(SHUNT_TX, "live:far0?netns=%s", lab.far_path);
	struct shunt_identity id = xsk_identity(&x, &lab, &o);
	struct shunt_tracer *t = must_trace(SHUNT_TRACE_COPIES, &id, 1);

	start(t);
	send_live(gen, FRAMES, 60);
	usleep(100000);
	struct shunt_trace_counts c = stop(t);
	is(&c.copies, 64, SHUNT_MEASURED);
	is(&c.wasted_copies, FRAMES - 64, SHUNT_MEASURED);
	cr_assert_eq(xsk_statistics(&x).rx_ring_full, FRAMES - 64u);
	shunt_tracer_close(t);
	shunt_close(gen, NULL);
	bench_lab_close(&lab);
}

Test(tracer_xdp, counts_copies_that_a_full_ring_wastes)
{
	expect_waste(false);
}

Test(tracer_xdp, counts_copies_that_a_full_ring_wastes_in_skb_mode)
{
	expect_waste(true);
}

/* Without a buffer there is no copy: a ring of 256 with 64 buffers. */
Test(tracer_xdp, counts_no_copy_for_want_of_a_buffer)
{
	NEED_LAB(lab);
	struct xsk_opts o = {.rx = 256, .fill = 64};
	struct xsk x = open_xsk(&lab, &o);
	struct shunt_dev *gen = must_open(SHUNT_TX, "live:far0?netns=%s", lab.far_path);
	struct shunt_identity id = xsk_identity(&x, &lab, &o);
	struct shunt_tracer *t = must_trace(SHUNT_TRACE_COPIES, &id, 1);

	start(t);
	send_live(gen, FRAMES, 60);
	usleep(100000);
	struct shunt_trace_counts c = stop(t);
	is(&c.copies, 64, SHUNT_MEASURED);
	is(&c.wasted_copies, 0, SHUNT_MEASURED);
	cr_assert_eq(xsk_statistics(&x).rx_dropped, FRAMES - 64u);
	shunt_tracer_close(t);
	shunt_close(gen, NULL);
	bench_lab_close(&lab);
}

static void set_mtu(int ns, const char *name, int mtu)
{
	struct ifreq r = {.ifr_mtu = mtu};
	int back = shunt_netns_enter(ns), fd = socket(AF_INET, SOCK_DGRAM, 0);

	snprintf(r.ifr_name, sizeof r.ifr_name, "%s", name);
	cr_assert_eq(ioctl(fd, SIOCSIFMTU, &r), 0, "%s", strerror(errno));
	close(fd);
	cr_assert_eq(shunt_netns_leave(back), 0);
}

/* 2000 bytes don't fit into a chunk less its head-room: refused before the copy. */
Test(tracer_xdp, counts_no_copy_of_a_frame_that_is_too_long)
{
	NEED_LAB(lab);
	struct xsk_opts o = {.rx = 2048, .fill = 2048};
	set_mtu(lab.near_ns, BENCH_NEAR, 9000);
	set_mtu(lab.far_ns, BENCH_FAR, 9000);
	struct xsk x = open_xsk(&lab, &o);
	int far = packet_socket(lab.far_ns, lab.far_ifindex, 0);
	struct shunt_identity id = xsk_identity(&x, &lab, &o);
	struct shunt_tracer *t = must_trace(SHUNT_TRACE_COPIES, &id, 1);

	start(t);
	send_frames(far, FRAMES, 2000);
	settle(t, FRAMES);
	struct shunt_trace_counts c = stop(t);
	is(&c.hidden_copies, FRAMES, SHUNT_MEASURED);
	is(&c.copies, FRAMES, SHUNT_MEASURED);
	is(&c.wasted_copies, 0, SHUNT_MEASURED);
	cr_assert_eq(xsk_statistics(&x).rx_dropped, (unsigned)FRAMES);
	shunt_tracer_close(t);
	bench_lab_close(&lab);
}

/* 4000 bytes in chunks of 2048: descriptors are added up, a packet is one copy. */
Test(tracer_xdp, adds_up_the_descriptors_of_a_packet)
{
	NEED_LAB(lab);
	struct xsk_opts o = {.many_buffers = true, .rx = 4096, .fill = 4096};
	set_mtu(lab.near_ns, BENCH_NEAR, 9000);
	set_mtu(lab.far_ns, BENCH_FAR, 9000);
	struct xsk x = open_xsk(&lab, &o);
	int far = packet_socket(lab.far_ns, lab.far_ifindex, 0);
	struct shunt_identity id = xsk_identity(&x, &lab, &o);
	struct shunt_tracer *t = must_trace(SHUNT_TRACE_COPIES, &id, 1);

	start(t);
	send_frames(far, FRAMES, 4000);
	unsigned got = drain_xsk(&x, FRAMES * 4000u);
	struct shunt_trace_counts c = stop(t);
	cr_assert_gt(got, 2u * FRAMES);
	is(&c.hidden_copies, FRAMES, SHUNT_MEASURED);
	is(&c.copies, 2 * FRAMES, SHUNT_MEASURED);
	is(&c.copied_bytes, 2.0 * FRAMES * 4000, SHUNT_MEASURED);
	shunt_tracer_close(t);
	bench_lab_close(&lab);
}

#else

Test(tracer_xdp, is_built)
{
	cr_skip_test("built without tracing, or without live frames");
}

#endif
