/* SPDX-License-Identifier: BSD-2-Clause
 * Frames of several pieces, and bursts of any size, on the drivers of a netdev. A raw packet socket
 * at the other end sees one frame each.
 */
#include "tests/drivers/pieces.h"
#include "tests/drivers/raw.h"
#include "tests/drivers/sizes.h"

#include <unistd.h>

/* What comes, except for what the other end's kernel sends by itself. */
static void expect(int fd, uint32_t want)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	uint8_t frame[RAW_MOST];

	cr_assert_eq(poll(&p, 1, 2000), 1, "a frame of %u bytes does not come", want);
	ssize_t len = recv(fd, frame, sizeof frame, 0);
	cr_assert_eq(len, want);
	if (want == PIECES_LEN)
		pieces_check(frame, (uint32_t)len);
}

static void sends(const char *spec)
{
	NEED_LAB(lab);
	struct shunt_dev *dev = must_open(SHUNT_TX, spec, lab.near_path);
	struct shunt_queue *q = shunt_get_queue(dev, 0);
	int fd = raw_open(lab.far_ns, BENCH_FAR);
	struct pollfd more = {.fd = fd, .events = POLLIN};

	pieces_send(q);
	pieces_too_long(q, 1000);
	expect(fd, 60);
	expect(fd, PIECES_LEN);
	expect(fd, 60);
	cr_assert_eq(poll(&more, 1, 50), 0, "nothing else");
	close(fd);
	cr_assert_eq(shunt_close(dev, NULL), 0);
	bench_lab_close(&lab);
}

Test(pieces, packet)
{
	sends("packet:near0?netns=%s&mode=recv");
	sends("packet:near0?netns=%s&mode=mmsg");
	sends("packet:near0?netns=%s&mode=ring");
}

#ifdef HAVE_AF_XDP
Test(pieces, xdp)
{
	sends("xdp:near0?netns=%s");
}
#endif

static void any_number(const char *spec)
{
	NEED_LAB(lab);
	struct shunt_dev *dev = must_open(SHUNT_RXTX, spec, lab.near_path);
	int fd = raw_open(lab.far_ns, BENCH_FAR);

	for (uint32_t i = 0; i < 500; i++) {
		uint8_t frame[60];
		raw_frame(frame, i, sizeof frame);
		cr_assert_eq(send(fd, frame, sizeof frame, 0), (ssize_t)sizeof frame);
	}
	sizes_check(shunt_get_queue(dev, 0));
	close(fd);
	cr_assert_eq(shunt_close(dev, NULL), 0);
	bench_lab_close(&lab);
}

Test(pieces, any_number_in_a_burst)
{
	any_number("packet:near0?netns=%s&mode=recv");
	any_number("packet:near0?netns=%s&mode=mmsg");
	any_number("packet:near0?netns=%s&mode=ring");
#ifdef HAVE_AF_XDP
	any_number("xdp:near0?netns=%s");
#endif
}
