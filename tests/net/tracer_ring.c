/* SPDX-License-Identifier: BSD-2-Clause
 * TPACKET_V3: the copy has no tracepoint, so it is counted by state: at polls, at start and at
 * read.
 */
#include "tests/net/net.h"

#ifdef HAVE_TRACING
#include "tests/net/tracing.h"

#define BLOCK  (1u << 18)
#define BLOCKS 8u

/* Nobody gives blocks back: they must not be retired before they are full. */
static int ring_socket(const struct bench_lab *lab)
{
	struct tpacket_req3 req = {.tp_block_size = BLOCK,
		.tp_block_nr = BLOCKS,
		.tp_frame_size = 2048,
		.tp_frame_nr = BLOCK / 2048 * BLOCKS,
		.tp_retire_blk_tov = 60000};
	int v3 = TPACKET_V3, fd = packet_socket(lab->near_ns, lab->near_ifindex, ETH_P_IP);

	cr_assert_eq(setsockopt(fd, SOL_PACKET, PACKET_VERSION, &v3, sizeof v3), 0);
	cr_assert_eq(setsockopt(fd, SOL_PACKET, PACKET_RX_RING, &req, sizeof req), 0);
	return fd;
}

static unsigned statistics(int fd)
{
	struct tpacket_stats_v3 st;
	socklen_t len = sizeof st;

	cr_assert_eq(getsockopt(fd, SOL_PACKET, PACKET_STATISTICS, &st, &len), 0);
	return st.tp_packets - st.tp_drops;
}

struct rig {
	struct bench_lab lab;
	int near, far;
	struct shunt_identity id;
	struct shunt_tracer *t;
};

static struct rig rig_open(unsigned what)
{
	NEED_LAB(lab);
	struct rig r = {.lab = lab,
		.near = ring_socket(&lab),
		.far = packet_socket(lab.far_ns, lab.far_ifindex, 0)};

	r.id = identity(SHUNT_KIND_RING, r.near, &lab);
	r.t = must_trace(what, &r.id, 1);
	return r;
}

static void rig_close(struct rig *r)
{
	shunt_tracer_close(r->t);
	bench_lab_close(&r->lab);
}

Test(tracer_ring, counts_with_and_without_poll)
{
	struct rig r = rig_open(SHUNT_TRACE_ALL);
	struct pollfd p = {.fd = r.near, .events = POLLIN};
	struct shunt_trace_counts c;

	for (int polls = 0; polls < 2; polls++) {
		start(r.t);
		for (int i = 0; i < 4; i++) {
			send_frames(r.far, FRAMES / 4, 60);
			if (polls)
				cr_assert_geq(poll(&p, 1, 1), 0);
		}
		settle(r.t, FRAMES);
		cr_assert_eq(shunt_tracer_read(r.t, &c, NULL), 0); /* while running */
		is(&c.copies, FRAMES, SHUNT_DERIVED);
		c = stop(r.t);
		is(&c.copies, FRAMES, SHUNT_DERIVED);
		cr_assert_eq(c.copied_bytes.how, SHUNT_UNAVAILABLE);
		cr_assert_eq(c.by_nr[SYS_poll], polls ? 4u : 0u);
	}
	/* Nothing was cleared by looking. */
	cr_assert_eq(statistics(r.near), 2u * FRAMES);
	rig_close(&r);
}

Test(tracer_ring, counts_nothing_that_is_refused)
{
	struct rig r = rig_open(SHUNT_TRACE_COPIES);

	refuse_all(r.near);
	start(r.t);
	send_frames(r.far, FRAMES, 60);
	settle(r.t, 0);
	struct shunt_trace_counts c = stop(r.t);
	is(&c.copies, 0, SHUNT_DERIVED);
	rig_close(&r);
}

/* The owner's own statistics read sets the count to 0 under way. */
Test(tracer_ring, survives_a_statistics_read)
{
	struct rig r = rig_open(SHUNT_TRACE_COPIES);
	struct pollfd p = {.fd = r.near, .events = POLLIN};

	start(r.t);
	send_frames(r.far, FRAMES, 60);
	settle(r.t, FRAMES);
	poll(&p, 1, 1);
	cr_assert_eq(statistics(r.near), (unsigned)FRAMES);
	send_frames(r.far, FRAMES / 2, 60);
	settle(r.t, FRAMES * 1.5);
	struct shunt_trace_counts c = stop(r.t);
	is(&c.copies, FRAMES * 1.5, SHUNT_DERIVED);
	rig_close(&r);
}

Test(tracer_ring, says_when_the_socket_is_gone)
{
	struct rig r = rig_open(SHUNT_TRACE_COPIES);

	start(r.t);
	send_frames(r.far, FRAMES, 60);
	close(r.near);
	struct shunt_trace_counts c = stop(r.t);
	cr_assert_eq(c.copies.bound, SHUNT_LOWER);
	cr_assert_neq(c.copies.reason[0], 0);
	shunt_tracer_close(r.t);

	r.t = must_trace(SHUNT_TRACE_COPIES, &r.id, 1);
	start(r.t);
	c = stop(r.t);
	cr_assert_eq(c.copies.how, SHUNT_UNAVAILABLE);
	rig_close(&r);
}

#else

Test(tracer_ring, is_built)
{
	cr_skip_test("built without tracing");
}

#endif
