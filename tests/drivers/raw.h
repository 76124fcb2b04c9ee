/* SPDX-License-Identifier: BSD-2-Clause
 * Raw packet sockets for tests of drivers: frames that carry their number, made and checked here,
 * so that no driver checks itself.
 */
#ifndef TESTS_DRIVERS_RAW_H
#define TESTS_DRIVERS_RAW_H

#include "core/link.h"
#include "core/netns.h"
#include "tests/net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <sys/socket.h>

#define RAW_MOST 2048

static inline int raw_open(int ns, const char *ifname)
{
	int back = shunt_netns_enter(ns), size = 64 << 20;
	struct sockaddr_ll at = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL)};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	at.sll_ifindex = (int)if_nametoindex(ifname);
	cr_assert_geq(fd, 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size);
	cr_assert_eq(bind(fd, (struct sockaddr *)&at, sizeof at), 0, "%s", strerror(errno));
	cr_assert_eq(shunt_netns_leave(back), 0);
	return fd;
}

/* Frame i: its number in the payload, a port of its own. */
static inline uint32_t raw_frame(uint8_t *f, uint32_t i, uint32_t len)
{
	udp_frame(f, len);
	memcpy(f + 42, &i, sizeof i);
	for (uint32_t k = 46; k < len; k++)
		f[k] = (uint8_t)(i + k);
	f[35] = (uint8_t)i;
	return len;
}

static inline uint32_t raw_length(uint32_t i)
{
	return 60 + i * 37 % 1455; /* 60..1514 */
}

static inline void raw_send(int fd, uint32_t from, uint32_t n)
{
	uint8_t f[RAW_MOST];

	for (uint32_t i = from; i < from + n; i++) {
		uint32_t len = raw_frame(f, i, raw_length(i));
		cr_assert_eq(send(fd, f, len, 0), (ssize_t)len, "%s", strerror(errno));
	}
}

/* Frames that wait in the socket, those that it sent itself not counted. -1: none for a while. */
static inline ssize_t raw_next(int fd, uint8_t *f)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	struct sockaddr_ll from;

	while (poll(&p, 1, 50) > 0) {
		socklen_t len = sizeof from;
		ssize_t n = recvfrom(fd, f, RAW_MOST, 0, (struct sockaddr *)&from, &len);
		if (n < 0 || from.sll_pkttype != PACKET_OUTGOING)
			return n;
	}
	return -1;
}

/* Frames from.. in order, byte for byte; returns how many of n came. */
static inline uint32_t raw_expect(int fd, uint32_t from, uint32_t n)
{
	uint8_t f[RAW_MOST], want[RAW_MOST];

	for (uint32_t i = 0; i < n; i++) {
		ssize_t len = raw_next(fd, f);
		if (len < 0)
			return i;
		cr_assert_eq((uint32_t)len, raw_frame(want, from + i, raw_length(from + i)));
		cr_assert_arr_eq(f, want, (size_t)len);
	}
	return n;
}

static inline uint32_t raw_count(int fd)
{
	uint8_t f[RAW_MOST];
	uint32_t n = 0;

	while (raw_next(fd, f) >= 0)
		n++;
	return n;
}

#endif
