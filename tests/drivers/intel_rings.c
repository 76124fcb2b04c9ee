/* SPDX-License-Identifier: BSD-2-Clause
 * Bursts of igb and e1000e against a model of the device: full, empty, over the wrap of the
 * indices, and with a device that writes what it may not.
 */
#include "tests/drivers/model/intel.h"
#include "tests/drivers/pieces.h"
#include "tests/drivers/sizes.h"
#include "tests/drivers/threads.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct intel_chip *const chips[] = {&intel_82576, &intel_82574};
#define EACH_CHIP(c) for (unsigned c = 0; c < 2; c++)
#define NEAR_WRAP    (0u - 256u)

static void make(uint8_t *frame, uint32_t seq, uint32_t len)
{
	memset(frame, (int)(seq * 7), len);
	memcpy(frame + 14, &seq, sizeof seq);
}

static uint32_t length(uint32_t seq)
{
	static const uint32_t some[] = {60, 61, 64, 128, 512, 1024, 1514, 1518, 18};

	return some[seq % (sizeof some / sizeof *some)];
}

static void check(const struct shunt_pkt *p, uint32_t seq)
{
	uint8_t want[INTEL_FRAME];

	make(want, seq, length(seq));
	cr_assert_eq(p->len, length(seq), "frame %u: %u bytes", seq, p->len);
	cr_assert_eq(p->wire_len, p->len);
	cr_assert_arr_eq(p->data, want, p->len, "frame %u", seq);
}

static void receive_in_order(bool phys)
{
	EACH_CHIP(c)
	{
		struct model_opts o = {.chip = chips[c], .start = NEAR_WRAP, .phys = phys};
		struct intel_model *m = model_new(&o);
		struct shunt_queue *q = &m->n.queue[0].q;
		struct shunt_pkt p[48];
		uint8_t frame[INTEL_FRAME];
		uint32_t in = 0, out = 0;
		model_start(m);
		for (unsigned round = 0; out < 3000; round++) {
			cr_assert_lt(round, 3000, "it stands still");
			for (unsigned i = 0; i < 1 + round % 37; i++) {
				make(frame, in, length(in));
				if (!model_receive(m, 0, frame, length(in)))
					break;
				in++;
			}
			int n = shunt_rx(q, p, 1 + round % 48);
			cr_assert_geq(n, 0);
			for (int i = 0; i < n; i++)
				check(&p[i], out++);
			/* In another order than they came. */
			for (int i = n; i > 0; i--)
				shunt_release(q, p + i - 1, 1);
		}
		cr_assert_lt(m->n.queue[0].rx.next, 1u << 16, "the index did not wrap");
		intel_halt(&m->n);
		struct shunt_ledger l = {.received = 0};
		intel_ledger(&m->dev, &l, NULL);
		uint64_t lost = 0;
		for (unsigned i = 0; i < l.losses; i++)
			lost += l.loss[i].count;
		cr_assert_eq(l.received, q->stats.rx_packets + lost);
		cr_assert(!phys || m->pages.seen == 3, "both pages were used");
		model_free(m);
	}
}

Test(intel_rings, receives_in_order_over_the_wrap)
{
	receive_in_order(false);
}

Test(intel_rings, receives_to_physical_addresses)
{
	receive_in_order(true);
}

/* Nobody receives: so many as there are descriptors, then they are missed, and counted. */
Test(intel_rings, full_and_empty)
{
	EACH_CHIP(c)
	{
		struct model_opts o = {.chip = chips[c], .start = 0u - 64u};
		struct intel_model *m = model_new(&o);
		struct shunt_queue *q = &m->n.queue[0].q;
		struct shunt_ledger l = {.received = 0};
		struct shunt_pkt p[256];
		uint8_t frame[60] = {0};
		unsigned in = 0;
		model_start(m);
		cr_assert_eq(shunt_rx(q, p, 256), 0);
		for (unsigned i = 0; i < 100; i++)
			in += model_receive(m, 0, frame, sizeof frame);
		cr_assert_eq(in, 63);
		cr_assert_eq(shunt_rx(q, p, 256), 63);
		cr_assert_eq(shunt_rx(q, p + 63, 1), 0);
		intel_ledger_read(&m->n);
		intel_ledger(&m->dev, &l, NULL);
		cr_assert_eq(l.received, 100);
		cr_assert_str_eq(l.loss[0].name, "device_drop");
		cr_assert_eq(l.loss[0].count, 37);
		shunt_release(q, p, 63);
		model_free(m);
	}
}

/* The application holds so much that the ring runs dry: old descriptors still say DD. */
Test(intel_rings, a_dry_ring_gives_nothing_twice)
{
	EACH_CHIP(c)
	{
		struct model_opts o = {.chip = chips[c], .spare = 1, .dir = SHUNT_RX};
		struct intel_model *m = model_new(&o);
		struct shunt_queue *q = &m->n.queue[0].q;
		struct shunt_pkt p[256];
		uint8_t frame[60] = {0};
		unsigned have = 0, in = 0;
		model_start(m);
		for (unsigned i = 0; i < 300; i++) {
			in += model_receive(m, 0, frame, sizeof frame);
			have += (unsigned)shunt_rx(q, p + have, 32);
		}
		cr_assert_eq(in, 65); /* 64 + 1 chunks are all that there are */
		cr_assert_eq(have, 65);
		for (unsigned i = 0; i < have; i++)
			for (unsigned j = 0; j < i; j++)
				cr_assert_neq(p[i].data, p[j].data);
		shunt_release(q, p, have);
		for (unsigned i = 0; i < 40; i++) {
			shunt_rx(q, p, 0); /* fills the ring again */
			cr_assert(model_receive(m, 0, frame, sizeof frame));
			cr_assert_eq(shunt_rx(q, p, 32), 1);
			shunt_release(q, p, 1);
		}
		model_free(m);
	}
}

Test(intel_rings, what_a_device_writes_is_bounded)
{
	static const uint64_t bad[] = {
		RXD_DD,                                      /* no length, no end */
		RXD_DD | RXD_EOP,                            /* no length */
		RXD_DD | RXD_EOP | 13ull << 32,              /* no header */
		RXD_DD | RXD_EOP | 2049ull << 32,            /* past the buffer */
		RXD_DD | RXD_EOP | 65535ull << 32,           /* far past it */
		RXD_DD | 60ull << 32,                        /* the frame goes on */
		RXD_DD | RXD_EOP | 1ull << 31 | 60ull << 32, /* RXE */
		RXD_DD | RXD_EOP | 1ull << 24 | 60ull << 32, /* CE */
		UINT64_MAX,
	};
	enum { N = sizeof bad / sizeof *bad };

	EACH_CHIP(c)
	{
		struct intel_model *m = model_new(&(struct model_opts){.chip = chips[c]});
		struct shunt_queue *q = &m->n.queue[0].q;
		struct shunt_ledger l = {.received = 0};
		struct shunt_pkt p[64];
		uint8_t frame[60] = {0};
		unsigned got = 0;
		model_start(m);
		for (unsigned round = 0; round < 100; round++) {
			for (unsigned i = 0; i < N; i++)
				cr_assert(model_write_back(m, 0, UINT64_MAX, bad[i]));
			cr_assert(model_receive(m, 0, frame, sizeof frame));
			int n = shunt_rx(q, p, 64);
			cr_assert_eq(n, 1, "round %u: %d", round, n);
			cr_assert_eq(p[0].len, 60);
			shunt_release(q, p, 1);
			got++;
		}
		intel_halt(&m->n);
		intel_ledger(&m->dev, &l, NULL);
		cr_assert_eq(l.received, 100 * (N + 1));
		cr_assert_str_eq(l.loss[4].name, "bad_descriptor");
		/* Two of them have no end: the next one is theirs. */
		cr_assert_eq(l.loss[4].count, 100 * (N - 2));
		cr_assert_eq(q->stats.rx_packets, got);
		model_free(m);
	}
}

/* The longest that a buffer takes is taken, checksum errors are not the driver's business. */
/* A frame over several descriptors is dropped whole, counted once: its last bytes are no frame, in
 * this burst or in the next. */
Test(intel_rings, a_frame_without_its_end)
{
	EACH_CHIP(c)
	{
		struct intel_model *m = model_new(&(struct model_opts){.chip = chips[c]});
		struct shunt_queue *q = &m->n.queue[0].q;
		struct shunt_pkt p[8];
		model_start(m);
		model_write_back(m, 0, 0, RXD_DD | 1024ull << 32);
		model_write_back(m, 0, 0, RXD_DD | 1024ull << 32);
		model_write_back(m, 0, 0, RXD_DD | RXD_EOP | 200ull << 32);
		model_write_back(m, 0, 0, RXD_DD | RXD_EOP | 60ull << 32);
		cr_assert_eq(shunt_rx(q, p, 8), 1);
		cr_assert_eq(p[0].len, 60);
		shunt_release(q, p, 1);
		cr_assert_eq(m->n.queue[0].bad_descriptor, 1);
		model_write_back(m, 0, 0, RXD_DD | 1024ull << 32);
		cr_assert_eq(shunt_rx(q, p, 8), 0);
		model_write_back(m, 0, 0, RXD_DD | 1024ull << 32);
		cr_assert_eq(shunt_rx(q, p, 8), 0);
		model_write_back(m, 0, 0, RXD_DD | RXD_EOP | 200ull << 32);
		model_write_back(m, 0, 0, RXD_DD | RXD_EOP | 61ull << 32);
		cr_assert_eq(shunt_rx(q, p, 8), 1);
		cr_assert_eq(p[0].len, 61);
		shunt_release(q, p, 1);
		cr_assert_eq(m->n.queue[0].bad_descriptor, 2);
		model_free(m);
	}
}

Test(intel_rings, odd_but_good)
{
	EACH_CHIP(c)
	{
		struct intel_model *m = model_new(&(struct model_opts){.chip = chips[c]});
		struct shunt_queue *q = &m->n.queue[0].q;
		struct shunt_pkt p[4];
		model_start(m);
		model_write_back(m, 0, 0, RXD_DD | RXD_EOP | 2048ull << 32);
		model_write_back(m, 0, 0, RXD_DD | RXD_EOP | 14ull << 32);
		model_write_back(m, 0, 0, RXD_DD | RXD_EOP | 3ull << 29 | 60ull << 32);
		cr_assert_eq(shunt_rx(q, p, 4), 3);
		cr_assert_eq(p[0].len, 2048);
		cr_assert_eq(p[1].len, 14);
		shunt_release(q, p, 3);
		model_free(m);
	}
}

Test(intel_rings, hash_of_several_queues)
{
	struct model_opts o = {.chip = &intel_82576, .nqueues = 2};
	struct intel_model *m = model_new(&o);
	struct shunt_pkt p[2];

	model_start(m);
	model_write_back(m, 1, 0xdeadbeefull << 32 | 1, RXD_DD | RXD_EOP | 60ull << 32);
	model_write_back(m, 1, 0x12345678ull << 32, RXD_DD | RXD_EOP | 60ull << 32);
	cr_assert_eq(shunt_rx(&m->n.queue[0].q, p, 2), 0);
	cr_assert_eq(shunt_rx(&m->n.queue[1].q, p, 2), 2);
	cr_assert_eq(p[0].flags, SHUNT_PKT_HASH);
	cr_assert_eq(p[0].hash, 0xdeadbeef);
	cr_assert_eq(p[1].flags, 0, "type 0 is no hash");
	cr_assert_eq(p[0].queue, 1);
	shunt_release(&m->n.queue[1].q, p, 2);
	model_free(m);
}

static void send_in_order(bool phys)
{
	EACH_CHIP(c)
	{
		struct model_opts o = {.chip = chips[c], .start = NEAR_WRAP, .phys = phys};
		struct intel_model *m = model_new(&o);
		struct shunt_queue *q = &m->n.queue[0].q;
		struct shunt_pkt p[48];
		uint32_t in = 0, out = 0, backs = 0;
		model_start(m);
		for (unsigned round = 0; in < 3000; round++) {
			cr_assert_lt(round, 3000, "it stands still");
			unsigned n = shunt_alloc(q, p, 1 + in % 48);
			for (unsigned i = 0; i < n; i++) {
				p[i].len = length(in + i);
				make(p[i].data, in + i, p[i].len);
			}
			int k = shunt_tx(q, p, n);
			cr_assert_geq(k, 0);
			in += (uint32_t)k;
			shunt_release(q, p + k, n - (unsigned)k);
			if (round % 3)
				model_transmit(m, 0);
		}
		model_transmit(m, 0);
		cr_assert_eq(m->nsent, in);
		cr_assert_eq(q->out, 0);
		for (out = in > MODEL_SENT ? in - MODEL_SENT : 0; out < in; out++) {
			uint8_t want[INTEL_FRAME];
			make(want, out, length(out));
			cr_assert_eq(m->sent[out % MODEL_SENT].len, length(out));
			cr_assert_arr_eq(m->sent[out % MODEL_SENT].data, want,
				length(out) < 64 ? length(out) : 64);
			backs += m->sent[out % MODEL_SENT].wrote_back;
		}
		cr_assert_leq(backs, in / INTEL_BATCH + 1, "%u write-backs", backs);
		cr_assert_lt(m->n.queue[0].tx.tail, 1u << 16, "the index did not wrap");
		intel_halt(&m->n);
		cr_assert_eq(q->stats.tx_errors, 0);
		cr_assert_eq(m->n.counts.sent, in);
		cr_assert(!phys || m->pages.seen == 3, "both pages were used");
		model_free(m);
	}
}

Test(intel_rings, sends_in_order_over_the_wrap)
{
	send_in_order(false);
}

Test(intel_rings, sends_from_physical_addresses)
{
	send_in_order(true);
}

/* A pointer that left its region: there is no physical address for it. */
Test(intel_rings, outside_of_the_region)
{
	EACH_CHIP(c)
	{
		struct model_opts o = {.chip = chips[c], .phys = true};
		struct intel_model *m = model_new(&o);
		struct shunt_queue *q = &m->n.queue[0].q;
		struct shunt_pkt p[2];
		model_start(m);
		cr_assert_eq(shunt_alloc(q, p, 2), 2);
		p[0].data = (uint8_t *)p[0].data + m->region->info.len;
		p[1].data = (uint8_t *)p[1].data - m->region->info.len;
		p[0].len = p[1].len = 60;
		cr_assert_eq(shunt_tx(q, p, 2), 2);
		cr_assert_eq(q->stats.tx_errors, 2);
		cr_assert_eq(model_transmit(m, 0), 0);
		model_free(m);
	}
}

Test(intel_rings, a_full_ring_takes_no_more)
{
	EACH_CHIP(c)
	{
		struct intel_model *m = model_new(&(struct model_opts){.chip = chips[c]});
		struct shunt_queue *q = &m->n.queue[0].q;
		struct shunt_pkt p[100];
		model_start(m);
		cr_assert_eq(shunt_alloc(q, p, 100), 100);
		for (unsigned i = 0; i < 100; i++)
			p[i].len = 60;
		cr_assert_eq(shunt_tx(q, p, 100), 63);
		cr_assert_eq(q->out, 37);
		cr_assert_eq(shunt_tx(q, p + 63, 37), 0);
		cr_assert_eq(q->stats.tx_short, 2);
		/* DD where no write-back was asked for means nothing. */
		m->n.queue[0].tx.desc[5].word |= TXD_DD;
		cr_assert_eq(shunt_tx(q, p + 63, 37), 0);
		m->n.queue[0].tx.desc[5].word &= ~TXD_DD;
		cr_assert_eq(model_transmit(m, 0), 63);
		cr_assert_eq(shunt_tx(q, p + 63, 37), 32, "one whole batch is known to be done");
		shunt_release(q, p + 95, 5);
		cr_assert_eq(q->out, 0);
		model_transmit(m, 0);
		model_free(m);
	}
}

Test(intel_rings, foreign_and_unsendable_frames)
{
	EACH_CHIP(c)
	{
		struct intel_model *m = model_new(&(struct model_opts){.chip = chips[c]});
		struct shunt_queue *q = &m->n.queue[0].q;
		uint8_t mine[2000];
		struct shunt_pkt p[6];
		model_start(m);
		make(mine, 9, 100);
		cr_assert_eq(shunt_alloc(q, p, 4), 4);
		uint32_t room = p[0].len;
		cr_assert_eq(room, SHUNT_CHUNK - PCI_HEAD);
		p[0].len = 60;
		p[1].len = INTEL_FRAME + 1;  /* too long */
		p[2].len = INTEL_TX_MIN - 1; /* too short */
		p[3].len = 1000;
		p[3].data = (uint8_t *)p[3].data + room - 999;       /* out of its chunk */
		p[4] = (struct shunt_pkt){.data = mine, .len = 100}; /* in no region */
		p[5] = (struct shunt_pkt){.data = mine, .len = 2000};
		cr_assert_eq(shunt_tx(q, p, 6), 6);
		cr_assert_eq(q->stats.tx_errors, 4);
		cr_assert_eq(q->stats.user_copies, 1);
		cr_assert_eq(q->stats.user_copied_bytes, 100);
		cr_assert(p[4].flags & SHUNT_PKT_KEPT);
		cr_assert(p[5].flags & SHUNT_PKT_KEPT);
		cr_assert_eq(q->out, 0);
		cr_assert_eq(model_transmit(m, 0), 2);
		cr_assert_eq(m->sent[1].len, 100);
		cr_assert_arr_eq(m->sent[1].data, mine, 64);
		model_free(m);
	}
}

/* Both devices on one region: a frame goes through without a copy, and its chunk comes back. */
Test(intel_rings, forwards_without_a_copy)
{
	struct shunt_region_opts opts = {.chunks = 4096, .no_huge = true};
	struct shunt_region *region;

	cr_assert_eq(shunt_region_create(&region, &opts, NULL), 0);
	struct intel_model *a =
		model_new(&(struct model_opts){.chip = &intel_82576, .region = region});
	struct intel_model *b =
		model_new(&(struct model_opts){.chip = &intel_82574, .region = region});
	struct shunt_queue *from = &a->n.queue[0].q, *to = &b->n.queue[0].q;
	struct shunt_pkt p[32];
	uint8_t frame[60];
	model_start(a);
	model_start(b);
	for (uint32_t seq = 0; seq < 20000; seq += 16) {
		for (uint32_t i = 0; i < 16; i++) {
			make(frame, seq + i, 60);
			cr_assert(model_receive(a, 0, frame, 60), "frame %u", seq + i);
		}
		cr_assert_eq(shunt_rx(from, p, 32), 16);
		shunt_move(from, to, 16);
		cr_assert_eq(shunt_tx(to, p, 16), 16);
		cr_assert_eq(model_transmit(b, 0), 16);
		make(frame, seq, 60);
		cr_assert_arr_eq(b->sent[seq % MODEL_SENT].data, frame, 60);
	}
	cr_assert_eq(to->stats.user_copies, 0);
	cr_assert_eq(from->out + to->out, 0);
	intel_queues_done(&a->n);
	model_free(b);
	free(a->bar);
	free(a->rings);
	free(a);
}

static void link_goes(const struct intel_chip *chip, uint32_t status, int error, const char *word)
{
	struct intel_model *m = model_new(&(struct model_opts){.chip = chip});
	struct shunt_queue *q = &m->n.queue[0].q;
	struct shunt_pkt p[2];
	uint8_t frame[60] = {0};
	int n = 0;

	model_start(m);
	cr_assert(model_receive(m, 0, frame, sizeof frame));
	*(uint32_t *)(m->bar + R_STATUS) = status;
	cr_assert_eq(shunt_rx(q, p, 1), 1, "what came before is delivered");
	for (unsigned i = 0; i < (1u << 21) && !n; i++)
		n = shunt_rx(q, p + 1, 1);
	cr_assert_eq(n, error);
	cr_assert_eq(shunt_rx(q, p + 1, 1), error, "sticky");
	cr_assert_eq(shunt_tx(q, p, 1), error);
	cr_assert(strstr(m->dev.info.gone, word), "%s", m->dev.info.gone);
	shunt_release(q, p, 1);
	intel_halt(&m->n);
	model_free(m);
}

Test(intel_rings, a_link_or_a_device_goes)
{
	EACH_CHIP(c)
	{
		link_goes(chips[c], 0, -ENETDOWN, "link");
		link_goes(chips[c], UINT32_MAX, -ENODEV, "gone");
	}
}

Test(intel_rings, a_transmitter_that_stands_still_is_looked_at)
{
	struct intel_model *m = model_new(&(struct model_opts){.chip = &intel_82574});
	struct shunt_queue *q = &m->n.queue[0].q;
	struct shunt_pkt p[64];
	int n = 0;

	model_start(m);
	cr_assert_eq(shunt_alloc(q, p, 64), 64);
	for (unsigned i = 0; i < 64; i++)
		p[i].len = 60;
	cr_assert_eq(shunt_tx(q, p, 64), 63);
	*(uint32_t *)(m->bar + R_STATUS) = 0;
	for (unsigned i = 0; i < 1u << 16 && !n; i++)
		n = shunt_tx(q, p + 63, 1);
	cr_assert_eq(n, -ENETDOWN);
	shunt_release(q, p + 63, 1);
	model_free(m);
}

/* The device takes frames and swallows them: who only sends looks now and then. */
Test(intel_rings, a_sender_finds_out)
{
	struct intel_model *m =
		model_new(&(struct model_opts){.chip = &intel_82576, .dir = SHUNT_TX});
	struct shunt_queue *q = &m->n.queue[0].q;
	struct shunt_pkt p;
	int n = 1;

	model_start(m);
	for (unsigned i = 0; i < 4096 && n == 1; i++) {
		cr_assert_eq(shunt_alloc(q, &p, 1), 1);
		p.len = 60;
		n = shunt_tx(q, &p, 1);
		model_transmit(m, 0);
		if (i == 1500)
			*(uint32_t *)(m->bar + R_STATUS) &= ~STATUS_LU;
	}
	cr_assert_eq(n, -ENETDOWN);
	cr_assert_leq(q->stats.tx_packets, 2048);
	shunt_release(q, &p, 1);
	intel_halt(&m->n);
	model_free(m);
}

/* As on virtio-net. The lock is the model's: its counters are cleared by the ledger's reads. */
static bool read_beside(const struct intel_chip *chip, bool plant)
{
	struct intel_model *m = model_new(&(struct model_opts){.chip = chip, .spare = 512});
	struct shunt_queue *q = &m->n.queue[0].q;
	pthread_mutex_t device = PTHREAD_MUTEX_INITIALIZER;
	struct beside r = {.dev = &m->dev, .q = q, .device = &device, .plant = plant};
	const struct shunt_driver driver = {.name = "model", .ledger = intel_ledger};
	uint8_t frame[60] = {0};
	struct shunt_pkt p[32];
	unsigned calls = 0;

	m->dev.drv = &driver;
	m->dev.state = SHUNT_STARTED;
	model_start(m);
	for (beside_begin(&r); !beside_enough(&r, calls); calls++) {
		pthread_mutex_lock(&device);
		for (unsigned i = 0; i < 1 + calls % 40; i++)
			model_receive(m, 0, frame, sizeof frame);
		pthread_mutex_unlock(&device);
		int n = shunt_rx(q, p, 32);
		cr_assert_geq(n, 0, "%s", m->dev.info.gone);
		shunt_release(q, p, (unsigned)n);
		n = (int)shunt_alloc(q, p, 1 + calls % 8);
		for (int i = 0; i < n; i++)
			p[i].len = 60;
		int taken = shunt_tx(q, p, (unsigned)n);
		shunt_release(q, p + taken, (unsigned)(n - taken));
		pthread_mutex_lock(&device);
		m->nsent = 0;
		model_transmit(m, 0);
		pthread_mutex_unlock(&device);
	}
	beside_end(&r);
	bool found = beside_found(q);
	model_free(m);
	return found;
}

Test(intel_rings, ledger_beside_receive, .timeout = 300)
{
	EACH_CHIP(c)
	{
		BESIDE_FINDS(read_beside(chips[c], true));
		cr_assert_not(read_beside(chips[c], false));
	}
}

Test(intel_rings, frames_of_several_pieces_go_out_whole)
{
	EACH_CHIP(c)
	{
		struct intel_model *m =
			model_new(&(struct model_opts){.chip = chips[c], .spare = 64});
		model_start(m);
		pieces_send(&m->n.queue[0].q);
		pieces_too_long(&m->n.queue[0].q, 800);
		cr_assert_eq(model_transmit(m, 0), 3);
		cr_assert(m->sent[0].len == 60 && m->sent[2].len == 60);
		cr_assert_eq(m->sent[1].len, PIECES_LEN);
		for (unsigned i = 0; i < sizeof m->sent[1].data; i++)
			cr_assert_eq(m->sent[1].data[i], pieces_byte(i));
		model_free(m);
	}
}

Test(intel_rings, any_number_in_a_burst)
{
	EACH_CHIP(c)
	{
		struct intel_model *m =
			model_new(&(struct model_opts){.chip = chips[c], .spare = 2048});
		uint8_t frame[60] = {0};
		model_start(m);
		while (model_receive(m, 0, frame, sizeof frame))
			;
		sizes_check(&m->n.queue[0].q);
		model_free(m);
	}
}
