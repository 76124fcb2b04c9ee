/* SPDX-License-Identifier: BSD-2-Clause
 * TPACKET_V3: the copy has no tracepoint, so without function probes it is derived from tp_packets,
 * read at polls, at start and at read. With function probes its bytes are measured, too.
 */
#include "tests/net.h"

#ifdef HAVE_TRACING
#include "tests/tracing/tracing.h"

static unsigned statistics(int fd)
{
	struct tpacket_stats_v3 st;
	socklen_t len = sizeof st;

	cr_assert_eq(getsockopt(fd, SOL_PACKET, PACKET_STATISTICS, &st, &len), 0);
	return st.tp_packets - st.tp_drops;
}

static enum shunt_provenance how(const struct shunt_tracer *t)
{
	return shunt_tracer_level(t) == SHUNT_LEVEL_F ? SHUNT_MEASURED : SHUNT_DERIVED;
}

struct rig {
	struct bench_lab lab;
	int near, far;
	struct shunt_identity id;
	struct shunt_tracer *t;
};

static struct rig rig_open(enum shunt_trace_level most, unsigned what)
{
	NEED_LAB(lab);
	struct rig r = {.lab = lab,
		.near = ring_socket(&lab),
		.far = packet_socket(lab.far_ns, lab.far_ifindex, 0)};

	r.id = identity(SHUNT_KIND_RING, r.near, &lab);
	r.t = must_trace_at(most, what, &r.id, 1);
	return r;
}

static void rig_close(struct rig *r)
{
	shunt_tracer_close(r->t);
	bench_lab_close(&r->lab);
}

Test(tracer_ring, counts_with_and_without_poll)
{
	struct rig r = rig_open(SHUNT_LEVEL_NONE, SHUNT_TRACE_ALL);
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
		is(&c.copies, FRAMES, how(r.t));
		c = stop(r.t);
		is(&c.copies, FRAMES, how(r.t));
		if (how(r.t) == SHUNT_MEASURED)
			is(&c.copied_bytes, FRAMES * 60, SHUNT_MEASURED);
		else
			cr_assert_eq(c.copied_bytes.provenance, SHUNT_UNAVAILABLE);
		cr_assert_eq(c.by_nr[SYS_poll], polls ? 4u : 0u);
	}
	/* Reading cleared no counter. */
	cr_assert_eq(statistics(r.near), 2u * FRAMES);
	rig_close(&r);
}

Test(tracer_ring, counts_nothing_that_is_refused)
{
	struct rig r = rig_open(SHUNT_LEVEL_NONE, SHUNT_TRACE_COPIES);

	refuse_all(r.near);
	start(r.t);
	send_frames(r.far, FRAMES, 60);
	settle(r.t, 0);
	struct shunt_trace_counts c = stop(r.t);
	is(&c.copies, 0, how(r.t));
	rig_close(&r);
}

/* A statistics read by the owner resets the counter during the run. */
Test(tracer_ring, survives_a_statistics_read)
{
	struct rig r = rig_open(SHUNT_LEVEL_NONE, SHUNT_TRACE_COPIES);
	struct pollfd p = {.fd = r.near, .events = POLLIN};

	start(r.t);
	send_frames(r.far, FRAMES, 60);
	settle(r.t, FRAMES);
	poll(&p, 1, 1);
	cr_assert_eq(statistics(r.near), (unsigned)FRAMES);
	send_frames(r.far, FRAMES / 2, 60);
	settle(r.t, FRAMES * 1.5);
	struct shunt_trace_counts c = stop(r.t);
	is(&c.copies, FRAMES * 1.5, how(r.t));
	rig_close(&r);
}

Test(tracer_ring, says_when_the_socket_is_gone)
{
	struct rig r = rig_open(SHUNT_LEVEL_T, SHUNT_TRACE_COPIES);

	start(r.t);
	send_frames(r.far, FRAMES, 60);
	close(r.near);
	struct shunt_trace_counts c = stop(r.t);
	cr_assert_eq(c.copies.bound, SHUNT_LOWER);
	cr_assert_neq(c.copies.reason[0], 0);
	shunt_tracer_close(r.t);

	r.t = must_trace_at(SHUNT_LEVEL_T, SHUNT_TRACE_COPIES, &r.id, 1);
	start(r.t);
	c = stop(r.t);
	cr_assert_eq(c.copies.provenance, SHUNT_UNAVAILABLE);
	rig_close(&r);
}

#else

Test(tracer_ring, is_built)
{
	cr_skip_test("built without tracing");
}

#endif
