/* SPDX-License-Identifier: BSD-2-Clause
 * What is the same for every device: errors of open, the order of calls, counters, the ledger.
 */
#include "drivers/core/driver.h"
#include "drivers/core/netdev.h"
#include "drivers/core/region.h"
#include "tests/drivers/threads.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <shunt/shunt.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static struct shunt_dev *must_open(const char *spec, enum shunt_dir dir)
{
	struct shunt_err err = {.code = 0};
	struct shunt_dev *dev;

	cr_assert_eq(shunt_open(&dev, spec, dir, &err), 0, "%s: %s", spec, err.what);
	cr_assert_eq(shunt_start(dev, &err), 0, "%s: %s", spec, err.what);
	return dev;
}

/* Refused, with this code, as a mistake of the user, and the message has the word. */
static void refuses(const char *spec, enum shunt_dir dir, int code, const char *word)
{
	struct shunt_err err = {.code = 0};
	struct shunt_dev *dev = (void *)1;
	int rc = shunt_open(&dev, spec, dir, &err);

	cr_assert_eq(rc, code, "'%s' gave %d: %s", spec, rc, err.what);
	cr_assert_null(dev);
	cr_assert_eq(err.kind, SHUNT_ERR_USAGE, "'%s': %s", spec, err.what);
	cr_assert(strstr(err.what, word), "'%s': %s", spec, err.what);
	cr_assert_null(strchr(err.what, '\n'));
	/* err is optional. */
	cr_assert_eq(shunt_open(&dev, spec, dir, NULL), code);
}

Test(dev, open_refuses)
{
	refuses("nonsense:x", SHUNT_RX, -EINVAL, "null");
	refuses("null", SHUNT_RX, -EINVAL, "scheme");
	/* Spellings that once stood in the manual name their successor. */
	refuses("live:near0", SHUNT_TX, -EINVAL, "there is no driver 'live'");
	refuses("null:?room=64", SHUNT_RX, -EINVAL, "has no key 'room'");
	refuses("null:?nonsense=1", SHUNT_RX, -EINVAL, "wait, depth, netns, fd");
	refuses("null:?size=13", SHUNT_RX, -EINVAL, "from 14 to 2048");
	refuses("null:?size=60&size=60", SHUNT_RX, -EINVAL, "twice");
	refuses("null:?wait=sleep", SHUNT_RX, -EINVAL, "spin|poll");
	refuses("null:?netns=/nonexistent", SHUNT_RX, -ENOENT, "/nonexistent");
	refuses("null:?netns=/dev/null", SHUNT_RX, -EINVAL, "/dev/null");
}

/* What each driver that is built says to the same mistakes. */
Test(dev, every_driver_refuses)
{
	const struct shunt_driver *d;
	char spec[64];

	for (unsigned i = 0; (d = shunt_driver_table(i)); i++) {
		snprintf(spec, sizeof spec, "%s:x?nonsense=1", d->scheme);
		refuses(spec, d->dirs == SHUNT_TX ? SHUNT_TX : SHUNT_RX, -EINVAL, "nonsense");
		snprintf(spec, sizeof spec, "%s:nonsense0", d->scheme);
		if (d->dirs != SHUNT_RXTX)
			refuses(spec, SHUNT_RXTX, -EINVAL, "cannot do both");
		if (d->is_netdev)
			refuses(spec, d->dirs == SHUNT_TX ? SHUNT_TX : SHUNT_RX, -ENODEV,
				"nonsense0");
	}
}

Test(dev, every_driver_tells)
{
	struct shunt_driver_info info;
	struct shunt_err err = {.code = 0};
	unsigned n = 0;

	for (; !shunt_driver_at(n, &info, &err); n++) {
		struct shunt_spec spec;
		cr_assert(*info.name && *info.summary && info.dirs);
		cr_assert_eq(shunt_spec_parse(&spec, info.example, &err), 0, "%s", err.what);
		cr_assert_str_eq(spec.scheme, info.scheme);
		cr_assert_eq(shunt_spec_check(
				     &spec, shunt_common_keys, shunt_driver_table(n)->keys, &err),
			0, "%s", err.what);
		cr_assert(strstr(info.keys, "depth=N"), "%s", info.keys);
		cr_assert(!info.usable || (*err.what && *err.remedy), "%s", info.name);
		err = (struct shunt_err){.code = 0};
	}
	cr_assert_eq(shunt_driver_at(n, &info, &err), -ENOENT);
	cr_assert_geq(n, 1);
}

/* The driver's own default, or what was asked for; with its memory. */
Test(dev, default_depth)
{
	static const struct {
		const char *scheme;
		uint32_t depth;
		uint64_t mib; /* rounded up */
	} want[] = {{"packet", 8192, 16}, {"xdp", 2048, 6}, {"pci", 1024, 7}, {"xdpgen", 8192, 16},
		{"pcap", 8192, 2}, {"pair", 8192, 19}, {"null", 8192, 2}};
	struct shunt_driver_info info;
	struct shunt_err err;

	for (unsigned n = 0; !shunt_driver_at(n, &info, &err); n++) {
		unsigned i = 0;
		while (i < sizeof want / sizeof *want && strcmp(want[i].scheme, info.scheme))
			i++;
		cr_assert_lt(i, sizeof want / sizeof *want, "%s", info.scheme);
		cr_assert_eq(info.depth, want[i].depth, "%s: %u", info.scheme, info.depth);
		cr_assert_eq((info.memory + (1 << 20) - 1) >> 20, want[i].mib, "%s: %llu",
			info.scheme, (unsigned long long)info.memory);
	}
}

/* What a device reports; the loopback interface is there without rights. */
Test(dev, depth_of_open_devices)
{
	static const struct {
		const char *spec;
		uint32_t depth;
	} open[] = {{"null:", 8192}, {"null:?depth=64", 64}, {"pair:d", 8192},
		{"pair:e?depth=100", 100}, {"packet:lo", 8192}, {"packet:lo?mode=ring", 8192},
		{"packet:lo?depth=2048", 2048}, {"xdp:lo", 2048}, {"xdp:lo?depth=8192", 8192}};
	struct shunt_driver_info driver;
	struct shunt_info info;
	struct shunt_dev *dev;
	struct shunt_err err;

	for (unsigned i = 0; i < sizeof open / sizeof *open; i++) {
		struct shunt_spec spec;
		unsigned n = 0;
		cr_assert_eq(shunt_spec_parse(&spec, open[i].spec, &err), 0, "%s", err.what);
		while (!shunt_driver_at(n, &driver, &err) && strcmp(driver.scheme, spec.scheme))
			n++;
		if (shunt_driver_at(n, &driver, &err))
			continue; /* was not built */
		cr_assert_eq(shunt_open(&dev, open[i].spec, SHUNT_RX, &err), 0, "%s", err.what);
		shunt_get_info(dev, &info);
		cr_assert_eq(info.depth, open[i].depth, "%s: %u", open[i].spec, info.depth);
		cr_assert_eq(shunt_close(dev, NULL), 0);
	}
}

static uint64_t driver_memory(const char *scheme)
{
	struct shunt_driver_info info;
	struct shunt_err err;

	for (unsigned n = 0; !shunt_driver_at(n, &info, &err); n++)
		if (!strcmp(info.scheme, scheme))
			return info.memory;
	return 0;
}

/* What a driver says of its memory is what its devices take; huge pages would round it up. */
Test(dev, memory_with_the_default_depth)
{
	struct shunt_dev *dev[] = {must_open("null:", SHUNT_RXTX), must_open("pair:m", SHUNT_RXTX),
		must_open("pair:m", SHUNT_RXTX)};
	struct shunt_info info[3];
	bool huge = false;

	for (unsigned i = 0; i < 3; i++) {
		shunt_get_info(dev[i], &info[i]);
		for (unsigned k = 0; k < info[i].nfacts; k++)
			huge |= !strcmp(info[i].facts[k].key, "huge_pages") &&
				!strcmp(info[i].facts[k].value, "yes");
		cr_assert_eq(shunt_close(dev[i], NULL), 0);
	}
	if (huge)
		cr_skip_test("the regions are of huge pages");
	cr_assert_eq(info[0].memory, driver_memory("null"));
	cr_assert_eq(info[1].memory + info[2].memory, 2 * driver_memory("pair"));
}

Test(dev, order_of_calls)
{
	struct shunt_err err = {.code = 0};
	struct shunt_dev *dev;
	struct shunt_pkt pkts[8];

	/* Never started. */
	cr_assert_eq(shunt_open(&dev, "null:", SHUNT_RX, NULL), 0);
	cr_assert_eq(shunt_stop(dev, NULL), 0);
	cr_assert_eq(shunt_close(dev, &err), 0);
	cr_assert_eq(shunt_close(NULL, &err), 0);

	dev = must_open("null:", SHUNT_RX);
	cr_assert_eq(shunt_start(dev, &err), -EALREADY);
	cr_assert_eq(shunt_nqueues(dev), 1);
	cr_assert_null(shunt_get_queue(dev, 1));
	struct shunt_queue *q = shunt_get_queue(dev, 0);
	cr_assert_eq(shunt_rx(q, pkts, 8), 8);
	/* With packets out it stays, and they can still be released. */
	cr_assert_eq(shunt_close(dev, &err), -EBUSY);
	cr_assert(strstr(err.what, "8 packets out"), "%s", err.what);
	cr_assert(*err.remedy);
	cr_assert_eq(shunt_rx(q, pkts + 4, 1), 0);
	shunt_release(q, pkts + 4, 4);
	cr_assert_eq(shunt_close(dev, &err), -EBUSY);
	shunt_release(q, pkts, 4);
	cr_assert_eq(shunt_close(dev, &err), 0);
}

Test(dev, info_and_identity)
{
	struct shunt_dev *dev = must_open("null:?size=99", SHUNT_RXTX);
	struct shunt_info info;
	struct shunt_identity id;

	shunt_get_info(dev, &info);
	cr_assert_str_eq(info.driver, "null");
	cr_assert_str_eq(info.spec, "null:?size=99");
	cr_assert_gt(info.memory, 0);
	cr_assert_neq(info.netns, 0);
	cr_assert_str_eq(info.gone, "");
	cr_assert_str_eq(info.scheme, "null");
	cr_assert(info.wait == SHUNT_WAIT_SPIN && info.depth == 8192 && info.queues == 1);
	shunt_queue_identity(shunt_get_queue(dev, 0), &id);
	cr_assert_eq(id.kind, SHUNT_KIND_NONE);
	cr_assert_eq(id.fd, -1);
	cr_assert_eq(id.netns, info.netns);
	cr_assert_gt(id.tid, 0);
	cr_assert_eq(shunt_queue_fd(shunt_get_queue(dev, 0)), -ENOTSUP);
	cr_assert_eq(shunt_close(dev, NULL), 0);
}

/* What a spec asks for is known by its parts, before start as after: nobody has to read its text.
 */
Test(dev, spec_by_parts)
{
	struct shunt_info info;
	struct shunt_dev *dev;

	cr_assert_eq(shunt_open(&dev, "pair:x?wait=poll&depth=100", SHUNT_RXTX, NULL), 0);
	shunt_get_info(dev, &info);
	cr_assert_str_eq(info.scheme, "pair");
	cr_assert(info.wait == SHUNT_WAIT_POLL && info.depth == 100 && info.queues == 1);
	cr_assert_eq(shunt_close(dev, NULL), 0);
}

Test(dev, stats_of_all_queues)
{
	struct shunt_dev *dev = must_open("null:?size=100", SHUNT_RX);
	struct shunt_queue *q = shunt_get_queue(dev, 0), other = {.stats = {.rx_packets = 5}};
	struct shunt_qstats sum;
	struct shunt_pkt p[8];

	cr_assert_eq(shunt_rx(q, p, 8), 8);
	shunt_release(q, p, 8);
	dev->queue[dev->nqueues++] = &other;
	shunt_get_stats(dev, &sum);
	cr_assert(sum.rx_packets == 13 && sum.rx_bytes == 800 && sum.rx_bursts == 1);
	dev->nqueues--;
	cr_assert_eq(shunt_close(dev, NULL), 0);
}

/* pair: what comes in is what the same thread sent by the other end. */
static bool read_beside(const char *spec, const char *peer, bool plant)
{
	struct shunt_dev *dev = must_open(spec, SHUNT_RXTX);
	struct shunt_dev *other = peer ? must_open(peer, SHUNT_RXTX) : dev;
	struct shunt_queue *q = shunt_get_queue(dev, 0), *from = shunt_get_queue(other, 0);
	struct beside r = {.dev = dev, .q = q, .plant = plant};
	struct shunt_ledger l;
	struct shunt_pkt p[32];
	unsigned calls = 0;

	for (beside_begin(&r); !beside_enough(&r, calls); calls++) {
		unsigned n = shunt_alloc(from, p, 1 + calls % 32);
		for (unsigned i = 0; i < n; i++)
			p[i].len = 60;
		int k = shunt_tx(from, p, n);
		shunt_release(from, p + k, n - (unsigned)k);
		k = shunt_rx(q, p, 32);
		cr_assert_geq(k, 0);
		shunt_release(q, p, (unsigned)k);
	}
	beside_end(&r);
	bool found = beside_found(q);
	cr_assert_eq(shunt_stop(dev, NULL), 0);
	for (int k; (k = shunt_rx(q, p, 32)) > 0;)
		shunt_release(q, p, (unsigned)k);
	cr_assert_eq(shunt_get_ledger(dev, &l, NULL), 0);
	cr_assert_eq(l.unaccounted, 0);
	cr_assert_eq(shunt_close(dev, NULL), 0);
	if (peer)
		cr_assert_eq(shunt_close(other, NULL), 0);
	return found;
}

Test(dev, ledger_beside_receive, .timeout = 300)
{
	BESIDE_FINDS(read_beside("null:", NULL, true));
	cr_assert_not(read_beside("null:", NULL, false));
	BESIDE_FINDS(read_beside("pair:p?depth=64", "pair:p?depth=64", true));
	cr_assert_not(read_beside("pair:p?depth=64", "pair:p?depth=64", false));
}

struct receiver {
	struct shunt_queue *q;
	atomic_bool end;
	atomic_uint bursts;
};

static void *receive_and_release(void *arg)
{
	struct receiver *r = arg;
	struct shunt_pkt p[32];

	while (!atomic_load(&r->end)) {
		int n = shunt_rx(r->q, p, 32);
		if (n > 0)
			shunt_release(r->q, p, (unsigned)n);
		atomic_fetch_add(&r->bursts, 1);
	}
	return NULL;
}

/* dev.h: stop may run beside receive and release; afterwards transmit takes nothing. */
static void stops_beside_receive(const char *spec, const char *peer)
{
	struct shunt_dev *dev = must_open(spec, SHUNT_RXTX);
	struct shunt_dev *other = peer ? must_open(peer, SHUNT_RXTX) : NULL;
	struct receiver r = {.q = shunt_get_queue(dev, 0)};
	struct shunt_pkt p[32];
	struct shunt_ledger l;
	pthread_t thread;

	cr_assert_eq(pthread_create(&thread, NULL, receive_and_release, &r), 0);
	while (atomic_load(&r.bursts) < 4 && other) {
		unsigned n = shunt_alloc(shunt_get_queue(other, 0), p, 32);
		int k = shunt_tx(shunt_get_queue(other, 0), p, n);
		cr_assert_geq(k, 0);
		shunt_release(shunt_get_queue(other, 0), p + k, n - (unsigned)k);
	}
	cr_assert_eq(shunt_stop(dev, NULL), 0);
	unsigned before = atomic_load(&r.bursts);
	while (atomic_load(&r.bursts) < before + 4)
		;
	atomic_store(&r.end, true);
	pthread_join(thread, NULL);
	cr_assert_eq(shunt_alloc(r.q, p, 1), 1);
	cr_assert_leq(shunt_tx(r.q, p, 1), 0, "%s", spec);
	cr_assert_eq(r.q->stats.tx_packets, 0);
	shunt_release(r.q, p, 1);
	cr_assert_eq(shunt_get_ledger(dev, &l, NULL), 0);
	cr_assert_eq(l.unaccounted, 0);
	cr_assert_eq(shunt_close(dev, NULL), 0);
	cr_assert_eq(shunt_close(other, NULL), 0);
}

Test(dev, stop_beside_receive, .timeout = 300)
{
	for (unsigned round = 0; round < 200; round++) {
		stops_beside_receive("null:", NULL);
		stops_beside_receive("pair:beside?depth=64", "pair:beside?depth=64");
	}
}

/* A region that a device made goes with it; the application's stays, and is counted meanwhile. */
Test(dev, regions_come_and_go)
{
	struct shunt_err err = {.code = 0};
	struct shunt_region *region, *lent;
	struct shunt_dev *dev;

	cr_assert_eq(
		shunt_region_create(&region, &(struct shunt_region_opts){.chunks = 2048}, NULL), 0);
	cr_assert_eq(shunt_region_lend(&lent, NULL, 0, 4096, NULL), 0);
	cr_assert_eq(shunt_open(&dev, "pair:x?depth=64", SHUNT_RXTX, NULL), 0);
	cr_assert_eq(shunt_attach(dev, lent, &err), -ENOTSUP);
	cr_assert_eq(shunt_detach(dev, region, &err), -EINVAL);
	cr_assert_eq(shunt_attach(dev, region, &err), 0);
	cr_assert_eq(shunt_attach(dev, region, &err), -EBUSY);
	cr_assert_eq(atomic_load(&region->attached), 1);
	cr_assert_eq(shunt_start(dev, &err), 0);
	cr_assert_eq(dev->region, region);
	cr_assert_eq(shunt_detach(dev, region, &err), -EBUSY);
	cr_assert_eq(shunt_close(dev, &err), 0);
	cr_assert_eq(atomic_load(&region->attached), 0);
	cr_assert_eq(shunt_region_destroy(region, &err), 0, "%s", err.what);
	cr_assert_eq(shunt_region_destroy(lent, &err), 0);
	dev = must_open("null:", SHUNT_RX);
	cr_assert(dev->region->own && atomic_load(&dev->region->attached) == 1);
	cr_assert_eq(shunt_attach(dev, dev->region, &err), -ENOTSUP);
	cr_assert_eq(shunt_detach(dev, dev->region, &err), -ENOTSUP);
	cr_assert_eq(shunt_close(dev, &err), 0);
}

/* Facts, notes and losses beyond what there is room for are cut, never written past the end. */
Test(dev, tables_are_bounded)
{
	struct shunt_dev *dev = must_open("null:", SHUNT_RX);
	struct shunt_ledger ledger = {0};
	char longest[500], keys[100][8];

	memset(longest, 'x', sizeof longest - 1);
	longest[sizeof longest - 1] = 0;
	dev->info.nfacts = 0; /* its own */
	for (int i = 0; i < 100; i++) {
		snprintf(keys[i], sizeof keys[i], "key%d", i);
		shunt_fact(dev, keys[i], "%s", longest);
		shunt_note(dev, "%s", longest);
		shunt_add_loss(&ledger, "drop", 1, "test");
	}
	cr_assert_eq(dev->info.nfacts, SHUNT_FACTS);
	/* What is there already takes the new value, also in a full table. */
	shunt_fact(dev, "key3", "new");
	cr_assert_str_eq(dev->info.facts[3].value, "new");
	cr_assert_eq(dev->info.nfacts, SHUNT_FACTS);
	cr_assert_eq(dev->info.nnotes, SHUNT_NOTES);
	cr_assert_eq(ledger.losses, SHUNT_LEDGER_MAX);
	struct shunt_queue *q = shunt_get_queue(dev, 0);
	cr_assert_eq(shunt_gone(q, -ENETDOWN, "down %s", longest), -ENETDOWN);
	cr_assert_eq(shunt_gone(q, -ENODEV, "later"), -ENETDOWN);
	cr_assert_eq(strncmp(dev->info.gone, "down xx", 7), 0);
	cr_assert_eq(shunt_close(dev, NULL), 0);
}

struct watcher {
	struct shunt_dev *dev;
	atomic_bool done;
	uint64_t most;
};

static void *watch(void *arg)
{
	struct watcher *w = arg;

	while (!atomic_load(&w->done)) {
		struct shunt_qstats stats;
		struct shunt_ledger ledger;
		shunt_queue_stats(shunt_get_queue(w->dev, 0), &stats);
		cr_assert_geq(stats.rx_packets, w->most);
		w->most = stats.rx_packets;
		cr_assert_eq(shunt_get_ledger(w->dev, &ledger, NULL), 0);
	}
	return NULL;
}

Test(dev, counters_are_read_by_another_thread)
{
	struct shunt_dev *dev = must_open("null:", SHUNT_RX);
	struct watcher w = {.dev = dev};
	struct shunt_queue *q = shunt_get_queue(dev, 0);
	struct shunt_pkt pkts[SHUNT_BURST];
	struct shunt_ledger ledger;
	pthread_t thread;

	pthread_create(&thread, NULL, watch, &w);
	for (int i = 0; i < 20000; i++)
		shunt_release(q, pkts, (unsigned)shunt_rx(q, pkts, SHUNT_BURST));
	atomic_store(&w.done, true);
	pthread_join(thread, NULL);
	cr_assert_eq(shunt_stop(dev, NULL), 0);
	cr_assert_eq(shunt_get_ledger(dev, &ledger, NULL), 0);
	cr_assert_eq(ledger.delivered, 20000u * SHUNT_BURST);
	cr_assert_eq(ledger.received, ledger.delivered);
	cr_assert_eq(ledger.unaccounted, 0);
	cr_assert_eq(shunt_close(dev, NULL), 0);
}

/* A driver that takes more values of a common key lists it once. */
Test(dev, keys_are_listed_once)
{
	struct shunt_driver_info info;
	struct shunt_err err;

	for (unsigned i = 0; !shunt_driver_at(i, &info, &err); i++) {
		const char *wait = strstr(info.keys, "wait=");
		cr_assert(wait, "%s", info.name);
		cr_assert_null(strstr(wait + 1, "wait="), "%s: %s", info.name, info.keys);
	}
}
