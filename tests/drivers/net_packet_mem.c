/* SPDX-License-Identifier: BSD-2-Clause
 * AF_PACKET and whose memory it is: order of release, shared regions, given sockets.
 */
#include "tests/drivers/packet.h"

#include "drivers/core/netns.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

/* Hold every seventh packet while thousands pass, over several turns of a small ring. */
Test(packet_mem, release_in_any_order)
{
	char rest[64];
	NEED_LAB(lab);
	struct shunt_dev *tx = tx_dev(&lab);

	EACH(m, modes)
	{
		struct shunt_pkt held[64], p;
		uint8_t f[2048];
		uint32_t nheld = 0;
		snprintf(rest, sizeof rest, "mode=%s&depth=256", modes[m]);
		struct shunt_dev *rx = rx_dev(&lab, rest);
		for (uint32_t seq = 0; seq < 3000; seq++) {
			if (seq % 20 == 0)
				send_run(tx, seq, 20, 1000);
			cr_assert_eq(receive(rx, &p, 1, 1000), 1, "%s at %u", rest, seq);
			make(f, 1000, seq);
			check_frame(&p, f, 1000);
			if (seq % 7) {
				shunt_release(queue_of(rx), &p, 1);
				continue;
			}
			held[nheld++] = p;
			/* A ring gives its blocks back in order: hold few, and not for long. */
			if (nheld < (m == 2 ? 3 : 64))
				continue;
			while (nheld) {
				uint32_t k = (seq * 31) % nheld;
				shunt_release(queue_of(rx), &held[k], 1);
				held[k] = held[--nheld];
			}
		}
		shunt_release(queue_of(rx), held, nheld);
		check_ledger(rx, 3000, 3000);
		must_close(rx);
	}
	must_close(tx);
	bench_lab_close(&lab);
}

/* Two devices on one region: what near0 receives leaves through near1's pair... here, far0. */
Test(packet_mem, forwards_without_a_copy)
{
	NEED_LAB(lab);
	struct shunt_region *region;
	struct shunt_region_info info;
	struct shunt_region_opts opts = {.chunks = 1024};
	struct shunt_err err;
	struct shunt_dev *a, *b;
	char spec[128];
	struct shunt_pkt pkts[50];

	cr_assert_eq(shunt_region_create(&region, &opts, &err), 0);
	snprintf(spec, sizeof spec, "packet:near0?netns=%s&mode=mmsg", lab.near_path);
	cr_assert_eq(shunt_open(&a, spec, SHUNT_RXTX, &err), 0, "%s", err.what);
	cr_assert_eq(shunt_attach(a, region, &err), 0);
	cr_assert_eq(shunt_attach(a, region, &err), -EBUSY);
	cr_assert_eq(shunt_start(a, &err), 0, "%s", err.what);
	snprintf(spec, sizeof spec, "packet:near0?netns=%s&mode=recv", lab.near_path);
	cr_assert_eq(shunt_open(&b, spec, SHUNT_TX, &err), 0, "%s", err.what);
	cr_assert_eq(shunt_attach(b, region, &err), 0);
	cr_assert_eq(shunt_start(b, &err), 0, "%s", err.what);
	cr_assert_eq(shunt_attach(b, region, &err), -EBUSY);
	cr_assert_eq(shunt_region_destroy(region, &err), -EBUSY);

	struct shunt_dev *far =
		must_open(SHUNT_RXTX, "packet:far0?netns=%s&mode=mmsg", lab.far_path);
	for (uint32_t round = 0; round < 100; round++) {
		send_run(far, round * 50, 50, 700);
		cr_assert_eq(receive(a, pkts, 50, 1000), 50);
		shunt_move(queue_of(a), queue_of(b), 50);
		cr_assert_eq(shunt_tx(queue_of(b), pkts, 50), 50);
		cr_assert_eq(queue_of(a)->out + queue_of(b)->out, 0u);
		expect_run(far, round * 50, 50, 700);
	}
	cr_assert_eq(queue_of(b)->stats.user_copies, 0u);
	must_close(far);
	must_close(a);
	must_close(b);
	shunt_region_info(region, &info);
	cr_assert_eq(info.free, 1024u, "%u chunks came back", info.free);
	cr_assert_eq(shunt_region_destroy(region, &err), 0, "%s", err.what);
	bench_lab_close(&lab);
}

/* From a lent region: the kernel copies from any memory, the packet stays its owner's. */
Test(packet_mem, sends_from_foreign_memory)
{
	NEED_LAB(lab);
	struct shunt_pkt pkts[20];
	struct shunt_dev *far =
		must_open(SHUNT_RXTX, "packet:far0?netns=%s&mode=mmsg", lab.far_path);
	struct shunt_dev *near =
		must_open(SHUNT_RXTX, "packet:near0?netns=%s&mode=ring", lab.near_path);

	send_run(far, 0, 20, 200);
	cr_assert_eq(receive(near, pkts, 20, 1000), 20);
	cr_assert_eq(shunt_tx(queue_of(near), pkts, 20), 20);
	for (unsigned i = 0; i < 20; i++)
		cr_assert(pkts[i].flags & SHUNT_PKT_KEPT);
	cr_assert_eq(queue_of(near)->out, 20u);
	shunt_release(queue_of(near), pkts, 20);
	expect_run(far, 0, 20, 200);
	must_close(near);
	must_close(far);
	bench_lab_close(&lab);
}

static int foreign_socket(const struct bench_lab *lab, bool bound)
{
	struct sockaddr_ll ll = {.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = (int)lab->near_ifindex};
	int back = shunt_netns_enter(lab->near_ns);
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	cr_assert_geq(fd, 0);
	if (bound)
		cr_assert_eq(bind(fd, (struct sockaddr *)&ll, sizeof ll), 0);
	shunt_netns_leave(back);
	return fd;
}

Test(packet_mem, uses_a_given_socket)
{
	char rest[64];
	NEED_LAB(lab);
	struct shunt_dev *tx = tx_dev(&lab);

	EACH(m, modes)
	for (unsigned bound = 0; bound < 2; bound++) {
		int fd = foreign_socket(&lab, bound);
		/* Sockets keep what was queued before; a ring starts anew. */
		uint32_t before = bound ? 5 : 0;
		send_run(tx, 0, before, 60);
		for (unsigned again = 0; again < 2; again++) {
			snprintf(rest, sizeof rest, "mode=%s&fd=%d", modes[m], fd);
			struct shunt_dev *rx = rx_dev(&lab, rest);
			uint32_t first = again || m == 2 ? before : 0;
			send_run(tx, before, 20, 60);
			expect_run(rx, first, before + 20 - first, 60);
			check_ledger(rx, before + 20 - first, before + 20 - first);
			must_close(rx);
		}
		close(fd);
	}
	must_close(tx);
	bench_lab_close(&lab);
}

static void refused(const char *spec, int rc, const char *what)
{
	struct shunt_err err = {.code = 0};
	struct shunt_dev *dev;
	int got = shunt_open(&dev, spec, SHUNT_RX, &err);

	if (!got) {
		got = shunt_start(dev, &err);
		cr_assert_eq(shunt_close(dev, NULL), 0);
	}
	cr_assert_eq(got, rc, "%s: %d", spec, got);
	cr_assert(strstr(err.what, what), "%s", err.what);
	cr_assert_eq(err.kind, SHUNT_ERR_USAGE);
}

Test(packet_mem, refuses_bad_descriptors)
{
	NEED_LAB(lab);
	char spec[128];
	int fd = foreign_socket(&lab, true);
	int p[2];

	cr_assert_eq(pipe(p), 0);
	snprintf(spec, sizeof spec, "packet:near0?netns=%s&fd=%d", lab.near_path, p[0]);
	refused(spec, -EINVAL, "no AF_PACKET raw socket");
	close(p[0]);
	close(p[1]);
	snprintf(spec, sizeof spec, "packet:near0?netns=%s&fd=900000", lab.near_path);
	refused(spec, -EBADF, "fd=");
	snprintf(spec, sizeof spec, "packet:lo?netns=%s&fd=%d", lab.near_path, fd);
	refused(spec, -EINVAL, "is bound to interface");
	snprintf(spec, sizeof spec, "packet:near0?netns=%s&mode=xyz", lab.near_path);
	refused(spec, -EINVAL, "recv|mmsg|ring");
	snprintf(spec, sizeof spec, "packet:none0?netns=%s", lab.near_path);
	refused(spec, -ENODEV, "no interface");
	struct shunt_dev *rx = NULL;
	snprintf(spec, sizeof spec, "mode=ring&fd=%d", fd);
	rx = rx_dev(&lab, spec);
	snprintf(spec, sizeof spec, "packet:near0?netns=%s&fd=%d", lab.near_path, fd);
	refused(spec, -EBUSY, "a ring of another owner");
	must_close(rx);
	close(fd);
	bench_lab_close(&lab);
}

/* Without rights: one clear line; but a socket that a helper opened will do, with less room. */
Test(packet_mem, without_rights)
{
	NEED_LAB(lab);
	struct shunt_err err = {.code = 0};
	struct shunt_dev *dev;
	struct shunt_info info;
	char spec[64];
	int fd = foreign_socket(&lab, false);
	int back = shunt_netns_enter(lab.near_ns);

	cr_assert_eq(seteuid(65534), 0);
	cr_assert_eq(shunt_open(&dev, "packet:near0", SHUNT_RX, &err), 0, "%s", err.what);
	cr_assert_eq(shunt_start(dev, &err), -EPERM);
	cr_assert(strstr(err.what, "CAP_NET_RAW"), "%s", err.what);
	cr_assert(strstr(err.remedy, "setcap"), "%s", err.remedy);
	cr_assert_eq(err.kind, SHUNT_ERR_RUN);
	cr_assert_eq(shunt_close(dev, NULL), 0);

	snprintf(spec, sizeof spec, "packet:near0?depth=1048576&fd=%d", fd);
	cr_assert_eq(shunt_open(&dev, spec, SHUNT_RX, &err), 0, "%s", err.what);
	cr_assert_eq(shunt_start(dev, &err), 0, "%s", err.what);
	shunt_get_info(dev, &info);
	bool said = false;
	for (unsigned i = 0; i < info.nnotes; i++)
		said |= strstr(info.notes[i], "CAP_NET_ADMIN") != NULL;
	cr_assert(said);
	cr_assert_eq(shunt_close(dev, NULL), 0);
	cr_assert_eq(seteuid(0), 0);
	cr_assert_eq(shunt_netns_leave(back), 0);
	close(fd);
	bench_lab_close(&lab);
}

/* One datagram over lo in the near namespace; somebody takes it, so that no error comes back. */
static void send_over_lo(const struct bench_lab *lab, const void *data, size_t len)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t alen = sizeof at;
	int back = shunt_netns_enter(lab->near_ns);
	int to = socket(AF_INET, SOCK_DGRAM, 0);

	cr_assert_eq(bind(to, (struct sockaddr *)&at, sizeof at), 0);
	cr_assert_eq(getsockname(to, (struct sockaddr *)&at, &alen), 0);
	cr_assert_eq(sendto(to, data, len, 0, (struct sockaddr *)&at, sizeof at), (ssize_t)len);
	close(to);
	shunt_netns_leave(back);
}

/* Frames above a buffer are cut and say so; a ring takes them whole. lo leaves checksums open. */
Test(packet_mem, long_frames_are_cut_and_say_so)
{
	static uint8_t data[6000];
	NEED_LAB(lab);

	EACH(m, modes)
	{
		struct shunt_pkt p;
		struct shunt_dev *rx =
			must_open(SHUNT_RX, "packet:lo?netns=%s&mode=%s", lab.near_path, modes[m]);
		memset(data, 0x40 + (int)m, sizeof data);
		send_over_lo(&lab, data, sizeof data);
		cr_assert_eq(receive(rx, &p, 1, 1000), 1);
		cr_assert_eq(p.wire_len, 42 + sizeof data);
		cr_assert_eq(p.len, m == 2 ? p.wire_len : 4096 - 64, "%u bytes", p.len);
		cr_assert_eq(!!(p.flags & SHUNT_PKT_TRUNC), m != 2);
		cr_assert(p.flags & SHUNT_PKT_CSUM_PARTIAL);
		cr_assert_eq(memcmp((uint8_t *)p.data + 42, data, p.len - 42), 0);
		shunt_release(queue_of(rx), &p, 1);
		check_ledger(rx, 1, 1);
		must_close(rx);
	}
	bench_lab_close(&lab);
}
