/* SPDX-License-Identifier: BSD-2-Clause
 * Who owns a buffer (docs/design.md): buffers of one region move at random through pairs, models of
 * cards and the application. At any time a buffer has one owner, found by its address: nobody gets
 * one that the application has, nobody writes into it, and at the end the pool has each exactly
 * once.
 */
#include "tests/drivers/model/intel.h"
#include "tests/drivers/model/virtio_dev.h"

#include <criterion/criterion.h>
#include <shunt/shunt.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CHUNKS 8192u
#define HELD   600u
#define STEPS  60000u
#define OWNERS 7u
#define TOKEN  20u /* where a held buffer has its mark */

struct party {
	const char *name;
	struct shunt_queue *q;
};

static struct shunt_region *region;
static struct shunt_dev *ends[4];
static struct intel_model *igb;
static struct vmodel split, packed;
static struct party party[OWNERS];

/* What the application has, and whose queue counts it. */
static struct {
	struct shunt_pkt p;
	struct shunt_queue *q;
	uint64_t token;
} held[HELD];
static unsigned nheld;
static bool has[CHUNKS];
static uint64_t tokens;
static uint8_t elsewhere[2048];

static unsigned chunk_of(const struct shunt_pkt *p)
{
	uint64_t at = (uint64_t)((uint8_t *)p->data - (uint8_t *)region->info.base);

	cr_assert_lt(at, region->info.len);
	return (unsigned)(at / SHUNT_CHUNK);
}

/* The application gets packets of q: none of them may be one that it has. */
static void get(struct party *from, const struct shunt_pkt *p, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned c = chunk_of(&p[i]);
		cr_assert_not(
			has[c], "%s gives chunk %u, which the application has", from->name, c);
		has[c] = true;
		held[nheld].p = p[i];
		held[nheld].p.flags &= ~SHUNT_PKT_MORE;
		held[nheld].p.len = 60 + (unsigned)rand() % 400;
		held[nheld].q = from->q;
		held[nheld].token = ++tokens;
		memcpy((uint8_t *)p[i].data + TOKEN, &tokens, sizeof tokens);
		nheld++;
	}
}

/* Up to n of what is held, taken at random, moved to q; foreign memory among it. */
static unsigned give(struct shunt_queue *q, struct shunt_pkt *p, unsigned n)
{
	unsigned k = 0;

	for (; k < n && nheld; k++) {
		unsigned i = (unsigned)rand() % nheld;
		uint64_t token;
		p[k] = held[i].p;
		memcpy(&token, (uint8_t *)p[k].data + TOKEN, sizeof token);
		cr_assert_eq(token, held[i].token, "somebody wrote into what the application has");
		shunt_move(held[i].q, q, 1);
		has[chunk_of(&p[k])] = false;
		held[i] = held[--nheld];
	}
	return k;
}

static void keep(struct party *to, struct shunt_pkt *p, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (p[i].region == region->info.id)
			get(to, &p[i], 1);
}

static void send_some(struct party *to)
{
	struct shunt_pkt p[40];
	unsigned n = give(to->q, p, (unsigned)rand() % 32);

	for (unsigned i = 0; i < n; i++)
		p[i].flags = rand() % 8 ? 0 : SHUNT_PKT_MORE;
	if (rand() % 4 == 0) {
		p[n] = (struct shunt_pkt){.data = elsewhere, .len = 60};
		n++;
	}
	int k = shunt_tx(to->q, p, n);
	cr_assert(k >= 0 && k <= (int)n, "%s: %d", to->name, k);
	cr_assert(!k || k == (int)n || !(p[k - 1].flags & SHUNT_PKT_MORE), "it cut a frame");
	keep(to, p + k, n - (unsigned)k);
}

static void release_some(struct party *to)
{
	struct shunt_pkt p[300];
	unsigned n = give(to->q, p, rand() % 20 ? (unsigned)rand() % 40 : 300);

	for (unsigned i = 0; i < n; i++)
		p[i].cookie = (uint64_t)rand(); /* another driver's */
	shunt_release(to->q, p, n);
}

static void receive_some(struct party *from)
{
	struct shunt_pkt p[64];
	unsigned room = HELD - nheld < 64 ? HELD - nheld : 64;
	int n = rand() % 2 ? shunt_rx(from->q, p, room) : (int)shunt_alloc(from->q, p, room);

	cr_assert_geq(n, 0, "%s", from->q->dev->info.gone);
	get(from, p, (unsigned)n);
}

/* The cards do their part: frames arrive, and leave. */
static void devices(void)
{
	uint8_t frame[60] = {2};

	for (int i = rand() % 20; i > 0; i--)
		model_receive(igb, 0, frame, sizeof frame);
	model_transmit(igb, 0);
	vmodel_deliver(&split, (unsigned)rand() % 20);
	vmodel_deliver(&packed, (unsigned)rand() % 20);
	vmodel_send(&split);
	vmodel_send(&packed);
}

static void make_all(void)
{
	static const char *const name[] = {"pair:a", "pair:a", "pair:b", "pair:b"};
	struct shunt_region_opts opts = {.chunks = CHUNKS, .no_huge = true};
	struct model_opts card = {.chip = &intel_82576};

	cr_assert_eq(shunt_region_create(&region, &opts, NULL), 0);
	for (unsigned i = 0; i < 4; i++) {
		char spec[32];
		snprintf(spec, sizeof spec, "%s?depth=64", name[i]);
		cr_assert_eq(shunt_open(&ends[i], spec, SHUNT_RXTX, NULL), 0);
		cr_assert_eq(shunt_attach(ends[i], region, NULL), 0);
		cr_assert_eq(shunt_start(ends[i], NULL), 0);
		party[i] = (struct party){name[i], shunt_get_queue(ends[i], 0)};
	}
	card.region = region;
	igb = model_new(&card);
	model_start(igb);
	cr_assert_eq(vmodel_make(&split, region, false), 0);
	cr_assert_eq(vmodel_make(&packed, region, true), 0);
	party[4] = (struct party){"igb", &igb->n.queue[0].q};
	party[5] = (struct party){"virtio split", &split.net.queue->q};
	party[6] = (struct party){"virtio packed", &packed.net.queue->q};
}

/* Nothing was lost, and nothing is there twice. */
static void check_pool(void)
{
	static bool seen[CHUNKS];

	cr_assert_eq(region->top, CHUNKS, "%u of %u chunks came back", region->top, CHUNKS);
	for (unsigned i = 0; i < region->top; i++) {
		uint64_t c = region->stack[i] / SHUNT_CHUNK;
		cr_assert_eq(region->stack[i] % SHUNT_CHUNK, 0);
		cr_assert_not(seen[c], "chunk %llu is in the pool twice", (unsigned long long)c);
		seen[c] = true;
	}
}

static void end_all(void)
{
	struct shunt_err err = {.code = 0};
	struct shunt_pkt p[64];

	while (nheld)
		release_some(&party[(unsigned)rand() % OWNERS]);
	for (unsigned i = 0; i < 4; i++)
		for (int n; (n = shunt_rx(party[i].q, p, 64)) > 0;)
			shunt_release(party[i].q, p, (unsigned)n);
	for (unsigned i = 0; i < OWNERS; i++)
		cr_assert_eq(party[i].q->out, 0, "%s: %u", party[i].name, party[i].q->out);
	for (unsigned i = 0; i < 4; i++)
		cr_assert_eq(shunt_close(ends[i], &err), 0, "%s", err.what);
	vmodel_free(&split);
	vmodel_free(&packed);
	intel_queues_done(&igb->n);
	check_pool();
	model_free(igb);
}

Test(owners, each_buffer_has_one, .timeout = 300)
{
	const char *given = getenv("SHUNT_SEED");
	unsigned seed = given ? (unsigned)atoi(given) : (unsigned)time(NULL);

	fprintf(stderr, "SHUNT_SEED=%u\n", seed);
	srand(seed);
	make_all();
	for (unsigned step = 0; step < STEPS; step++) {
		struct party *who = &party[(unsigned)rand() % OWNERS];
		switch (rand() % 5) {
		case 0:
		case 1:
			receive_some(who);
			break;
		case 2:
		case 3:
			send_some(who);
			break;
		default:
			release_some(who);
		}
		if (rand() % 4 == 0)
			devices();
	}
	end_all();
}
