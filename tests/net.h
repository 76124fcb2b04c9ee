/* SPDX-License-Identifier: BSD-2-Clause
 * Helpers of tests in a lab. A test that can't open a lab is skipped with the reason.
 */
#ifndef TESTS_NET_H
#define TESTS_NET_H

#include "bench/lab/lab.h"
#include "core/ifreq.h"
#include "core/netns.h"

#include <criterion/criterion.h>
#include <linux/sockios.h>
#include <shunt/shunt.h>
#include <stdio.h>
#include <string.h>

#define NEED_LAB(lab)                                                                              \
	struct bench_lab lab;                                                                      \
	do {                                                                                       \
		struct shunt_err why_;                                                             \
		if (bench_lab_open(&lab, NULL, &why_))                                             \
			cr_skip_test("no lab: %s", why_.what);                                     \
	} while (0)

/* Of both ends. */
static inline void set_mtu(const struct bench_lab *lab, int mtu)
{
	const int ns[] = {lab->near_ns, lab->far_ns};
	const unsigned ifindex[] = {lab->near_ifindex, lab->far_ifindex};

	for (int i = 0; i < 2; i++) {
		struct ifreq ifr = {.ifr_mtu = mtu};
		int back = shunt_netns_enter(ns[i]);
		cr_assert_eq(shunt_ifreq(ifindex[i], SIOCSIFMTU, &ifr), 0);
		cr_assert_eq(shunt_netns_leave(back), 0);
	}
}

/* printf for specs: "packet:near0?netns=%s&mode=ring". */
static inline struct shunt_dev *must_open(enum shunt_dir dir, const char *fmt, ...)
{
	char spec[256];
	struct shunt_err err = {.code = 0};
	struct shunt_dev *dev;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(spec, sizeof spec, fmt, ap);
	va_end(ap);
	cr_assert_eq(shunt_open(&dev, spec, dir, &err), 0, "%s: %s", spec, err.what);
	cr_assert_eq(shunt_start(dev, &err), 0, "%s: %s", spec, err.what);
	return dev;
}

/* A UDP frame of len bytes to another host; its zeroed payload has space for a timestamp. */
static inline void udp_frame(uint8_t *f, uint32_t len)
{
	memset(f, 0, len);
	memcpy(f, bench_other_mac, 6);
	memcpy(f + 6, bench_far_mac, 6);
	f[12] = 8;
	f[14] = 0x45;
	f[16] = (uint8_t)((len - 14) >> 8);
	f[17] = (uint8_t)(len - 14);
	f[22] = 64;
	f[23] = 17;
	memcpy(f + 26, "\xc6\x12\0\1\xc6\x12\0\2", 8); /* 198.18.0.0/15, RFC 2544 */
	f[35] = 9;
	f[37] = 9;
	f[38] = (uint8_t)((len - 34) >> 8);
	f[39] = (uint8_t)(len - 34);
}

#endif
