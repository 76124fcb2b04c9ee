/* SPDX-License-Identifier: BSD-2-Clause
 * Frames of several pieces, and bursts of any size, over the drivers that open without rights.
 */
#include "tests/drivers/pieces.h"
#include "tests/drivers/sizes.h"

#include <shunt/shunt.h>
#include <stdio.h>
#include <unistd.h>

static struct shunt_dev *must_open(const char *spec, enum shunt_dir dir)
{
	struct shunt_err err = {.code = 0};
	struct shunt_dev *dev;

	cr_assert_eq(shunt_open(&dev, spec, dir, &err), 0, "%s: %s", spec, err.what);
	cr_assert_eq(shunt_start(dev, &err), 0, "%s: %s", spec, err.what);
	return dev;
}

/* 60 bytes, the frame, 60 bytes: each in one piece. */
static void receive(struct shunt_queue *q)
{
	struct shunt_pkt p[8];

	cr_assert_eq(shunt_rx(q, p, 8), 3);
	cr_assert_eq(shunt_frames(p, 3), 3);
	cr_assert(p[0].len == 60 && p[2].len == 60);
	pieces_check(p[1].data, p[1].len);
	cr_assert_eq(p[1].wire_len, PIECES_LEN);
	shunt_release(q, p, 3);
}

Test(pieces, null_drops_them_whole)
{
	struct shunt_dev *dev = must_open("null:", SHUNT_RXTX);

	pieces_send(shunt_get_queue(dev, 0));
	pieces_too_long(shunt_get_queue(dev, 0), 2000);
	cr_assert_eq(shunt_close(dev, NULL), 0);
}

Test(pieces, pair)
{
	struct shunt_dev *a = must_open("pair:x", SHUNT_RXTX), *b = must_open("pair:x", SHUNT_RXTX);

	pieces_send(shunt_get_queue(a, 0));
	receive(shunt_get_queue(b, 0));
	pieces_too_long(shunt_get_queue(a, 0), 2000);
	cr_assert_eq(shunt_close(a, NULL), 0);
	cr_assert_eq(shunt_close(b, NULL), 0);
}

/* A ring without room takes none of it, and all of it later. */
Test(pieces, never_in_parts)
{
	struct shunt_dev *a = must_open("pair:x?depth=64", SHUNT_RXTX);
	struct shunt_dev *b = must_open("pair:x?depth=64", SHUNT_RXTX);
	struct shunt_queue *q = shunt_get_queue(a, 0), *to = shunt_get_queue(b, 0);
	struct shunt_pkt p[64], one[PIECES];

	cr_assert_eq(shunt_alloc(q, p, 64), 64);
	for (unsigned i = 0; i < 64; i++)
		p[i].len = 60;
	cr_assert_eq(shunt_tx(q, p, 64), 64);
	pieces_make(q, one);
	cr_assert_eq(shunt_tx(q, one, PIECES), 0);
	cr_assert_eq(shunt_rx(to, p, 64), 64);
	shunt_release(to, p, 64);
	cr_assert_eq(shunt_tx(q, one, PIECES), PIECES);
	cr_assert_eq(shunt_rx(to, p, 64), 1);
	pieces_check(p[0].data, p[0].len);
	shunt_release(to, p, 1);
	cr_assert_eq(shunt_close(a, NULL), 0);
	cr_assert_eq(shunt_close(b, NULL), 0);
}

#ifdef HAVE_PCAP
/* The longest frame of all fits: a file has whole frames only. */
Test(pieces, pcap_holds_whole_frames)
{
	char path[] = "/tmp/shunt-pieces-XXXXXX", spec[64];
	int fd = mkstemp(path);

	snprintf(spec, sizeof spec, "pcap:%s", path);
	struct shunt_dev *dev = must_open(spec, SHUNT_TX);
	pieces_send(shunt_get_queue(dev, 0));
	pieces_too_long(shunt_get_queue(dev, 0), 262144 / 3 + 1);
	cr_assert_eq(shunt_close(dev, NULL), 0);
	dev = must_open(spec, SHUNT_RX);
	receive(shunt_get_queue(dev, 0));
	cr_assert_eq(shunt_close(dev, NULL), 0);
	close(fd);
	unlink(path);
}
#endif

Test(pieces, any_number_in_a_burst)
{
	struct shunt_dev *null = must_open("null:", SHUNT_RXTX);
	struct shunt_dev *a = must_open("pair:x?depth=256", SHUNT_RXTX);
	struct shunt_dev *b = must_open("pair:x?depth=256", SHUNT_RXTX);
	struct shunt_pkt p[SIZES];

	sizes_check(shunt_get_queue(null, 0));
	sizes_check(shunt_get_queue(a, 0));
	for (int n; (n = shunt_rx(shunt_get_queue(b, 0), p, SIZES)) > 0;)
		shunt_release(shunt_get_queue(b, 0), p, (unsigned)n);
	sizes_check(shunt_get_queue(b, 0));
	cr_assert_eq(shunt_close(null, NULL), 0);
	cr_assert_eq(shunt_close(a, NULL), 0);
	cr_assert_eq(shunt_close(b, NULL), 0);
}
