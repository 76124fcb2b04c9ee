/* SPDX-License-Identifier: BSD-2-Clause
 * Copies between sockets and a process: exact in number and bytes, and 0 where there are none.
 */
#include "tests/net.h"

#ifdef HAVE_TRACING
#include "core/link.h"
#include "tests/tracing/tracing.h"

#include <netinet/in.h>

static const uint32_t sizes[] = {60, 512, 1514};

Test(tracer_copies, counts_every_recv)
{
	NEED_LAB(lab);
	int near = packet_socket(lab.near_ns, lab.near_ifindex, ETH_P_IP);
	int far = packet_socket(lab.far_ns, lab.far_ifindex, 0);
	struct shunt_identity id = identity(SHUNT_KIND_PACKET, near, &lab);
	struct shunt_tracer *t = must_trace(SHUNT_TRACE_ALL, &id, 1);

	for (unsigned i = 0; i < 3; i++) {
		start(t);
		send_frames(far, FRAMES, sizes[i]);
		drain(near, FRAMES, sizes[i]);
		struct shunt_trace_counts c = stop(t);
		is(&c.copies, FRAMES, SHUNT_MEASURED);
		is(&c.copied_bytes, (double)FRAMES * sizes[i], SHUNT_MEASURED);
		cr_assert_eq(c.by_nr[SYS_recvfrom], FRAMES + 1u);
		cr_assert_eq(c.by_nr[SYS_sendto], (unsigned)FRAMES);
	}
	shunt_tracer_close(t);
	bench_lab_close(&lab);
}

Test(tracer_copies, counts_every_message_of_recvmmsg)
{
	NEED_LAB(lab);
	int near = packet_socket(lab.near_ns, lab.near_ifindex, ETH_P_IP);
	int far = packet_socket(lab.far_ns, lab.far_ifindex, 0);
	struct shunt_identity id = identity(SHUNT_KIND_PACKET, near, &lab);
	struct shunt_tracer *t = must_trace(SHUNT_TRACE_ALL, &id, 1);
	static uint8_t room[32][2048];
	struct mmsghdr m[32];
	struct iovec v[32];

	for (unsigned i = 0; i < 32; i++) {
		v[i] = (struct iovec){.iov_base = room[i], .iov_len = sizeof room[i]};
		m[i] = (struct mmsghdr){.msg_hdr = {.msg_iov = &v[i], .msg_iovlen = 1}};
	}
	send_frames(far, FRAMES, 512);
	usleep(200000); /* whole batches, also on a busy machine */
	start(t);
	int got = 0, n;
	while ((n = recvmmsg(near, m, 32, MSG_DONTWAIT, NULL)) > 0)
		got += n;
	struct shunt_trace_counts c = stop(t);
	cr_assert_eq(got, FRAMES);
	is(&c.copies, FRAMES, SHUNT_MEASURED);
	is(&c.copied_bytes, FRAMES * 512.0, SHUNT_MEASURED);
	cr_assert_eq(c.by_nr[SYS_recvmmsg], FRAMES / 32 + 2u);
	shunt_tracer_close(t);
	bench_lab_close(&lab);
}

/* Packets refused before the socket, and packets of another socket, are not counted. */
Test(tracer_copies, counts_no_copy_where_none_is_made_for_us)
{
	NEED_LAB(lab);
	int near = packet_socket(lab.near_ns, lab.near_ifindex, ETH_P_IP);
	int other = packet_socket(lab.near_ns, lab.near_ifindex, ETH_P_IP);
	int far = packet_socket(lab.far_ns, lab.far_ifindex, 0);
	struct shunt_identity id = identity(SHUNT_KIND_PACKET, near, &lab);
	struct shunt_tracer *t = must_trace(SHUNT_TRACE_COPIES, &id, 1);

	refuse_all(near);
	start(t);
	send_frames(far, FRAMES, 60);
	drain(other, FRAMES, 60);
	drain(near, 0, 60);
	struct shunt_trace_counts c = stop(t);
	is(&c.copies, 0, SHUNT_MEASURED);
	is(&c.copied_bytes, 0, SHUNT_MEASURED);
	shunt_tracer_close(t);
	bench_lab_close(&lab);
}

/* Unknown descriptor: matched by thread and address family, sends counted separately. */
Test(tracer_copies, falls_back_to_the_thread)
{
	NEED_LAB(lab);
	int near = packet_socket(lab.near_ns, lab.near_ifindex, ETH_P_IP);
	int far = packet_socket(lab.far_ns, lab.far_ifindex, 0);
	struct shunt_identity id = identity(SHUNT_KIND_PACKET, -1, &lab);
	struct shunt_tracer *t = must_trace(SHUNT_TRACE_COPIES, &id, 1);

	send_frames(far, FRAMES, 60);
	start(t);
	drain(near, FRAMES, 60);
	struct shunt_trace_counts c = stop(t);
	is(&c.copies, FRAMES, SHUNT_MEASURED);
	start(t);
	send_frames(far, FRAMES, 60);
	c = stop(t);
	is(&c.copies, FRAMES, SHUNT_MEASURED); /* a sender copies, too */
	shunt_tracer_close(t);
	bench_lab_close(&lab);
}

static int udp_pair(const struct bench_lab *lab, int *tx)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int room = 64 << 20, back = shunt_netns_enter(lab->near_ns);
	socklen_t len = sizeof to;

	cr_assert_eq(shunt_link_set_up("lo", true, NULL), 0);
	int rx = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	*tx = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	cr_assert_eq(setsockopt(rx, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room), 0);
	cr_assert_eq(bind(rx, (struct sockaddr *)&to, sizeof to), 0);
	cr_assert_eq(getsockname(rx, (struct sockaddr *)&to, &len), 0);
	cr_assert_eq(connect(*tx, (struct sockaddr *)&to, len), 0);
	cr_assert_eq(shunt_netns_leave(back), 0);
	return rx;
}

Test(tracer_copies, counts_udp_by_its_length)
{
	NEED_LAB(lab);
	int tx, rx = udp_pair(&lab, &tx);
	struct shunt_identity id = identity(SHUNT_KIND_UDP, rx, NULL);
	struct shunt_tracer *t = must_trace(SHUNT_TRACE_COPIES, &id, 1);

	for (unsigned i = 0; i < 3; i++) {
		start(t);
		send_frames(tx, FRAMES, sizes[i]);
		drain(rx, FRAMES, sizes[i]); /* its EAGAIN is no copy */
		struct shunt_trace_counts c = stop(t);
		if (c.copies.provenance == SHUNT_UNAVAILABLE)
			cr_skip_test("%s", c.copies.reason); /* before 6.2 */
		is(&c.copies, FRAMES, SHUNT_MEASURED);
		is(&c.copied_bytes, (double)FRAMES * sizes[i], SHUNT_MEASURED);
	}
	shunt_tracer_close(t);
	bench_lab_close(&lab);
}

Test(tracer_copies, names_its_probes)
{
	NEED_LAB(lab);
	int near = packet_socket(lab.near_ns, lab.near_ifindex, ETH_P_IP);
	struct shunt_identity id = identity(SHUNT_KIND_PACKET, near, &lab);
	struct shunt_tracer *t = must_trace(SHUNT_TRACE_ALL, &id, 1);
	struct shunt_probe_info p[SHUNT_PROBES_MAX];

	unsigned n = shunt_tracer_probes(t, p, SHUNT_PROBES_MAX);
	cr_assert_geq(n, 8u);
	for (unsigned i = 0; i < n; i++) {
		cr_assert_not(p[i].attached);
		cr_assert_neq(p[i].reason[0], 0);
	}
	start(t);
	n = shunt_tracer_probes(t, p, SHUNT_PROBES_MAX);
	/* 4 softirq, 2 sockets, 1 switches, 1 system calls; 1 function where it is allowed. */
	cr_assert_eq(n, shunt_tracer_level(t) == SHUNT_LEVEL_F ? 9u : 8u);
	for (unsigned i = 0; i < n; i++)
		cr_assert(p[i].attached, "%s: %s", p[i].name, p[i].reason);
	cr_assert_eq(shunt_tracer_start(t, NULL), -EBUSY);
	stop(t);
	cr_assert_eq(shunt_tracer_stop(t, NULL), -EALREADY);
	shunt_tracer_close(t);
	bench_lab_close(&lab);
}

#else

Test(tracer_copies, is_built)
{
	cr_skip_test("built without tracing");
}

#endif
