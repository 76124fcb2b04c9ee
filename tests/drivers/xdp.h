/* SPDX-License-Identifier: BSD-2-Clause
 * What the tests of AF_XDP share: one lab at a time, a device at its near end, exact ledgers.
 */
#ifndef TESTS_DRIVERS_XDP_H
#define TESTS_DRIVERS_XDP_H

#include "tests/drivers/raw.h"
#include "tests/net.h"

#include <unistd.h>

static struct bench_lab the_lab;

#define LAB(...)                                                                                   \
	do {                                                                                       \
		struct shunt_err why_;                                                             \
		struct bench_lab_opts opts_ = {__VA_ARGS__};                                       \
		if (bench_lab_open(&the_lab, &opts_, &why_))                                       \
			cr_skip_test("no lab: %s", why_.what);                                     \
	} while (0)

static inline struct shunt_dev *near_dev(enum shunt_dir dir, const char *keys)
{
	return must_open(dir, "xdp:near0?netns=%s%s%s", the_lab.near_path, *keys ? "&" : "", keys);
}

static inline int refused(enum shunt_dir dir, const char *keys, struct shunt_err *err)
{
	char spec[200];
	struct shunt_dev *dev;

	*err = (struct shunt_err){.code = 0};
	snprintf(spec, sizeof spec, "xdp:near0?netns=%s&%s", the_lab.near_path, keys);
	int rc = shunt_open(&dev, spec, dir, err);
	if (rc)
		return rc;
	rc = shunt_start(dev, err);
	shunt_close(dev, NULL);
	return rc;
}

static inline void send_frames(int fd, uint32_t from, uint32_t n, uint32_t len)
{
	uint8_t f[2048];

	for (uint32_t i = from; i < from + n; i++) {
		raw_frame(f, i, len);
		cr_assert_eq(send(fd, f, len, 0), (ssize_t)len, "%s", strerror(errno));
	}
}

/* Receive until none came for a while; checks bytes where len is 0 (mixed lengths). */
static inline uint32_t receive(struct shunt_dev *dev, uint32_t from, bool check)
{
	uint32_t got = from, idle = 0;
	uint8_t want[2048];
	struct shunt_info info;

	shunt_get_info(dev, &info);
	uint32_t enough = strstr(info.spec, "wait=poll") ? 2 : 3000;
	while (idle < enough) {
		for (unsigned k = 0; k < shunt_nqueues(dev); k++) {
			struct shunt_queue *q = shunt_get_queue(dev, k);
			struct shunt_pkt p[SHUNT_BURST];
			int n = shunt_rx(q, p, SHUNT_BURST);
			if (n <= 0) {
				idle++;
				continue;
			}
			idle = 0;
			for (int i = 0; check && i < n; i++) {
				uint32_t len = raw_frame(
					want, got + (uint32_t)i, raw_length(got + (uint32_t)i));
				cr_assert_eq(p[i].len, len);
				cr_assert_eq(p[i].wire_len, len);
				cr_assert_arr_eq((uint8_t *)p[i].data, want, len);
			}
			got += (uint32_t)n;
			shunt_release(q, p, (unsigned)n);
		}
	}
	return got - from;
}

static inline void end(struct shunt_dev *dev, int sender)
{
	cr_assert_eq(shunt_close(dev, NULL), 0);
	close(sender);
	bench_lab_close(&the_lab);
}

static inline uint64_t loss(const struct shunt_ledger *l, const char *name)
{
	for (unsigned i = 0; i < l->losses; i++)
		if (!strcmp(l->loss[i].name, name))
			return l->loss[i].count;
	cr_assert(false, "the ledger has no %s", name);
	return 0;
}

static inline struct shunt_ledger closed_ledger(struct shunt_dev *dev)
{
	struct shunt_ledger l;

	cr_assert_eq(shunt_stop(dev, NULL), 0);
	cr_assert_eq(shunt_get_ledger(dev, &l, NULL), 0);
	cr_assert_eq(l.unaccounted, 0, "received %lu delivered %lu unaccounted %ld", l.received,
		l.delivered, l.unaccounted);
	return l;
}

static inline const char *fact(struct shunt_dev *dev, const char *key)
{
	static struct shunt_info info;

	shunt_get_info(dev, &info);
	for (unsigned i = 0; i < info.nfacts; i++)
		if (!strcmp(info.facts[i].key, key))
			return info.facts[i].value;
	return "";
}

#endif
