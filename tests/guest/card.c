/* SPDX-License-Identifier: BSD-2-Clause
 * In the guest, through the library: what takes many devices or queues in one process.
 *   guest-card reopen CARD PEER N: N times opens CARD, sends a frame to PEER and receives one
 *     from it, and closes. What the process holds is compared after the first rounds and the last.
 *   guest-card queues FROM TO FRAMES SEED: sends frames of 64 flows, and says in which of TO's
 *     queues each came. A tap may hold a thousand frames of an earlier run: SEED tells them apart.
 * One line on stdout; whoever started it judges.
 */
#include "core/clock.h"
#include "tests/guest/frames.h"

#include <dirent.h>
#include <shunt/shunt.h>
#include <stdio.h>
#include <stdlib.h>

#define WAIT_NS UINT64_C(5000000000) /* for a frame, in a guest on a busy machine */
#define WARM    5u /* rounds until what is allocated once is there, malloc's own maps, too */
#define FLOWS   64u
#define WINDOW  32u /* fewer than any ring holds */

static const uint8_t mac[6] = {0x52, 0x54, 0, 0, 0, 1};
static uint64_t seed = 1;

static _Noreturn void die(const char *what, const struct shunt_err *err)
{
	fprintf(stderr, "guest-card: %s: %s\n", what, err ? err->what : "");
	exit(1);
}

static struct shunt_dev *start(const char *spec, enum shunt_dir dir)
{
	struct shunt_err err = {.code = 0};
	struct shunt_dev *dev;

	if (shunt_open(&dev, spec, dir, &err) || shunt_start(dev, &err))
		die(spec, &err);
	return dev;
}

static void end(struct shunt_dev *dev)
{
	struct shunt_err err = {.code = 0};

	if (shunt_close(dev, &err))
		die("close", &err);
}

static void send_frame(struct shunt_queue *q, uint32_t number)
{
	uint64_t until = shunt_now() + WAIT_NS;
	struct shunt_pkt p;

	while (!shunt_alloc(q, &p, 1))
		if (shunt_tx(q, &p, 0) < 0 || shunt_now() > until)
			die("no buffer to send from", NULL);
	p.len = frame_make(p.data, seed, FRAME_RX, mac, number);
	while (shunt_tx(q, &p, 1) != 1)
		if (shunt_now() > until)
			die("a frame is not taken", NULL);
}

/* Is it this frame, as it was made? Others pass by. */
static bool is_frame(const struct shunt_pkt *p, uint32_t number)
{
	uint8_t want[FRAME_MAX];
	uint32_t got;

	return frame_number(p->data, p->len, &got) && got == number &&
	       frame_make(want, seed, FRAME_RX, mac, number) == p->len &&
	       !memcmp(want, p->data, p->len);
}

static void wait_for_frame(struct shunt_dev *dev, uint32_t number)
{
	uint64_t until = shunt_now() + WAIT_NS;
	struct shunt_pkt p[32];
	bool found = false;

	while (!found) {
		for (unsigned i = 0; i < shunt_nqueues(dev); i++) {
			struct shunt_queue *q = shunt_get_queue(dev, i);
			int n = shunt_rx(q, p, 32);
			for (int k = 0; k < n; k++)
				found |= is_frame(&p[k], number);
			if (n > 0)
				shunt_release(q, p, (unsigned)n);
		}
		if (!found && shunt_now() > until)
			die("a frame did not come", NULL);
	}
}

/* What a process can leak here. */
struct holds {
	long fds, mappings, huge_kb, locked_kb;
};

static long count_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	long n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

static struct holds holds(void)
{
	struct holds h = {.fds = count_fds()};
	char line[512];
	FILE *f = fopen("/proc/self/maps", "re");

	while (f && fgets(line, sizeof line, f))
		h.mappings++;
	if (f)
		fclose(f);
	f = fopen("/proc/self/status", "re");
	while (f && fgets(line, sizeof line, f)) {
		sscanf(line, "HugetlbPages: %ld", &h.huge_kb);
		sscanf(line, "VmLck: %ld", &h.locked_kb);
	}
	if (f)
		fclose(f);
	return h;
}

static int reopen(const char *card, const char *peer, uint32_t n)
{
	struct shunt_dev *far = start(peer, SHUNT_RXTX);
	struct holds before = {0}, now;
	uint64_t begin = shunt_now();

	for (uint32_t i = 0; i < n; i++) {
		struct shunt_dev *dev = start(card, SHUNT_RXTX);
		send_frame(shunt_get_queue(dev, 0), 2 * i);
		wait_for_frame(far, 2 * i);
		send_frame(shunt_get_queue(far, 0), 2 * i + 1);
		wait_for_frame(dev, 2 * i + 1);
		end(dev);
		if (i + 1 == WARM)
			before = holds();
	}
	now = holds();
	printf("card=%s rounds=%u seconds=%.0f fds=%+ld mappings=%+ld huge_kb=%+ld "
	       "locked_kb=%+ld\n",
		card, n, (double)(shunt_now() - begin) / 1e9, now.fds - before.fds,
		now.mappings - before.mappings, now.huge_kb - before.huge_kb,
		now.locked_kb - before.locked_kb);
	end(far);
	return 0;
}

struct tally {
	uint32_t received, twice, strays, moved, in_queue[64], flows_in[64];
	uint8_t *seen;
	int queue_of[FLOWS];
};

static void note(struct tally *t, const struct shunt_pkt *p, uint32_t frames, unsigned queue)
{
	uint32_t i;

	if (!frame_number(p->data, p->len, &i) || i >= frames || !is_frame(p, i)) {
		t->strays++;
		return;
	}
	t->twice += t->seen[i] > 0;
	t->received += !t->seen[i]++;
	t->in_queue[queue]++;
	int *of = &t->queue_of[i % FLOWS];
	t->flows_in[queue] += *of < 0;
	t->moved += *of >= 0 && *of != (int)queue;
	*of = (int)queue;
}

static void look(struct shunt_dev *dev, struct tally *t, uint32_t frames)
{
	struct shunt_pkt p[32];

	for (unsigned i = 0; i < shunt_nqueues(dev); i++) {
		struct shunt_queue *q = shunt_get_queue(dev, i);
		int n = shunt_rx(q, p, 32);
		for (int k = 0; k < n; k++)
			note(t, &p[k], frames, i);
		if (n > 0)
			shunt_release(q, p, (unsigned)n);
	}
}

static int queues(const char *from, const char *to, uint32_t frames)
{
	struct shunt_dev *tx = start(from, SHUNT_TX), *rx = start(to, SHUNT_RX);
	struct tally t = {.seen = calloc(frames, 1)};
	uint32_t sent = 0, before;
	uint64_t until = shunt_now() + WAIT_NS;

	for (unsigned i = 0; i < FLOWS; i++)
		t.queue_of[i] = -1;
	while (t.received < frames && shunt_now() < until) {
		while (sent < frames && sent - t.received < WINDOW)
			send_frame(shunt_get_queue(tx, 0), sent++);
		before = t.received;
		look(rx, &t, frames);
		if (t.received > before)
			until = shunt_now() + WAIT_NS;
	}
	printf("to=%s sent=%u received=%u twice=%u moved=%u queues=%u frames", to, sent, t.received,
		t.twice, t.moved, shunt_nqueues(rx));
	for (unsigned i = 0; i < shunt_nqueues(rx); i++)
		printf("%c%u", i ? ',' : '=', t.in_queue[i]);
	printf(" flows");
	for (unsigned i = 0; i < shunt_nqueues(rx); i++)
		printf("%c%u", i ? ',' : '=', t.flows_in[i]);
	printf(" strays=%u\n", t.strays);
	free(t.seen);
	end(tx);
	end(rx);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "reopen"))
		return reopen(argv[2], argv[3], (uint32_t)atoi(argv[4]));
	if (argc == 6 && !strcmp(argv[1], "queues")) {
		seed = strtoull(argv[5], NULL, 0);
		return queues(argv[2], argv[3], (uint32_t)atoi(argv[4]));
	}
	fprintf(stderr, "usage: guest-card reopen CARD PEER N | queues FROM TO FRAMES SEED\n");
	return 2;
}
