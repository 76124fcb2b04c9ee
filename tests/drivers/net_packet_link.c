/* SPDX-License-Identifier: BSD-2-Clause
 * AF_PACKET when the interface goes down, is deleted, or renamed.
 */
#include "tests/drivers/packet.h"

#include "core/link.h"
#include "core/netns.h"

#include <pthread.h>

static void in_near(const struct bench_lab *lab, void (*what)(struct shunt_err *))
{
	struct shunt_err err = {.code = 0};
	int back = shunt_netns_enter(lab->near_ns);

	cr_assert_geq(back, 0);
	what(&err);
	cr_assert_eq(shunt_netns_leave(back), 0);
	cr_assert_eq(err.code, 0, "%s", err.what);
}

static void set_down(struct shunt_err *err)
{
	shunt_link_set_up(BENCH_NEAR, false, err);
}

static void set_up(struct shunt_err *err)
{
	shunt_link_set_up(BENCH_NEAR, true, err);
}

static void rename_it(struct shunt_err *err)
{
	shunt_link_rename(BENCH_NEAR, "other0", err);
}
static void name_back(struct shunt_err *err)
{
	shunt_link_rename("other0", BENCH_NEAR, err);
}

static void delete_it(struct shunt_err *err)
{
	shunt_link_delete(BENCH_NEAR, err);
}

static bool caller_waits; /* the caller waits: shunt_wait before each rx */

/* rx until it fails, at most two seconds; counts what came before. */
static int until_error(struct shunt_dev *rx, unsigned *got)
{
	uint64_t end = shunt_now() + 2000000000u;
	struct shunt_pkt pkts[32];
	int n = 0;

	for (*got = 0; n >= 0 && shunt_now() < end;) {
		struct shunt_queue *q = queue_of(rx);
		if (caller_waits)
			cr_assert_geq(shunt_wait(&q, 1, 200), 0);
		n = shunt_rx(queue_of(rx), pkts, 32);
		if (n > 0) {
			*got += (unsigned)n;
			shunt_release(queue_of(rx), pkts, (unsigned)n);
		}
	}
	return n;
}

static void lose_link(void (*how)(struct shunt_err *), int error, const char *text, bool deleted)
{
	char rest[64];

	EACH(m, modes)
	EACH(w, waits)
	{
		NEED_LAB(lab);
		struct shunt_info info;
		unsigned got;
		struct shunt_dev *tx = tx_dev(&lab);
		snprintf(rest, sizeof rest, "mode=%s&wait=%s", modes[m], waits[w]);
		struct shunt_dev *rx = rx_dev(&lab, rest);
		send_run(tx, 0, 100, 60);
		in_near(&lab, how);
		int rc = until_error(rx, &got);
		cr_assert_eq(rc, error, "%s: %d", rest, rc);
		cr_assert_eq(got, 100u, "%s: %u of what was there before", rest, got);
		if (!deleted) { /* sticky: a link that comes back changes nothing */
			in_near(&lab, set_up);
			send_run(tx, 0, 1, 60);
		}
		cr_assert_eq(until_error(rx, &got), error);
		cr_assert_eq(got, 0u);
		shunt_get_info(rx, &info);
		cr_assert(strstr(info.gone, text), "%s", info.gone);
		check_ledger(rx, 100, 100);
		must_close(rx);
		must_close(tx);
		bench_lab_close(&lab);
	}
}

Test(packet_link, link_down)
{
	lose_link(set_down, -ENETDOWN, "went down", false);
}

Test(packet_link, link_down_while_the_caller_waits)
{
	caller_waits = true;
	lose_link(set_down, -ENETDOWN, "went down", false);
}

Test(packet_link, link_deleted)
{
	lose_link(delete_it, -ENODEV, "was deleted", true);
}

/* The link went and nobody looked: what was there before is still handed out after the stop. */
Test(packet_link, link_lost_unseen)
{
	char rest[64];

	EACH(m, modes)
	for (unsigned del = 0; del < 2; del++) {
		NEED_LAB(lab);
		struct shunt_dev *tx = tx_dev(&lab);
		snprintf(rest, sizeof rest, "mode=%s", modes[m]);
		struct shunt_dev *rx = rx_dev(&lab, rest);
		send_run(tx, 0, 100, 60);
		in_near(&lab, del ? delete_it : set_down);
		cr_assert_eq(shunt_stop(rx, NULL), 0);
		int got = take_rest(rx);
		cr_assert_eq(got, 100, "%s: %d", rest, got);
		check_ledger(rx, 100, 100);
		must_close(rx);
		must_close(tx);
		bench_lab_close(&lab);
	}
}

Test(packet_link, link_lost_in_transmit)
{
	EACH(m, modes)
	for (unsigned del = 0; del < 2; del++) {
		NEED_LAB(lab);
		struct shunt_pkt p;
		int want = del ? -ENODEV : -ENETDOWN;
		struct shunt_dev *tx = must_open(
			SHUNT_TX, "packet:near0?netns=%s&mode=%s", lab.near_path, modes[m]);
		cr_assert_eq(shunt_alloc(queue_of(tx), &p, 1), 1u);
		make(p.data, p.len = 60, 0);
		in_near(&lab, del ? delete_it : set_down);
		cr_assert_eq(shunt_tx(queue_of(tx), &p, 1), want);
		cr_assert_eq(shunt_tx(queue_of(tx), &p, 1), want);
		shunt_release(queue_of(tx), &p, 1);
		must_close(tx);
		bench_lab_close(&lab);
	}
}

/* A sender that is cut off gives back what it could not send. */
Test(packet_link, lost_under_a_flood)
{
	NEED_LAB(lab);
	struct shunt_err err = {.code = 0};
	struct shunt_flood_result r;
	uint8_t f[60];
	struct shunt_frame frame = {.data = f, .len = sizeof f};
	struct shunt_flood flood = {.frames = &frame, .nframes = 1, .packets = 100};
	struct shunt_dev *tx =
		must_open(SHUNT_TX, "packet:near0?netns=%s&mode=mmsg", lab.near_path);

	make(f, sizeof f, 0);
	cr_assert_eq(shunt_flood(queue_of(tx), &flood, &r, &err), 0, "%s", err.what);
	cr_assert_eq(r.sent, 100u);
	in_near(&lab, set_down);
	cr_assert_eq(shunt_flood(queue_of(tx), &flood, &r, &err), -ENETDOWN);
	cr_assert(strstr(err.what, "went down"), "%s", err.what);
	cr_assert_eq(r.sent, 0u);
	must_close(tx);
	bench_lab_close(&lab);
}

Test(packet_link, renamed_goes_on)
{
	char rest[64];
	NEED_LAB(lab);
	struct shunt_err err = {.code = 0};
	int back = shunt_netns_enter(lab.near_ns);
	rename_it(&err);
	if (err.code == -EBUSY)
		cr_skip_test("an interface that is up can be renamed since Linux 6.2");
	name_back(&err);
	cr_assert_eq(shunt_netns_leave(back), 0);
	struct shunt_dev *tx = tx_dev(&lab);

	EACH(m, modes)
	{
		snprintf(rest, sizeof rest, "mode=%s", modes[m]);
		struct shunt_dev *rx = rx_dev(&lab, rest);
		send_run(tx, 0, 10, 60);
		in_near(&lab, rename_it);
		send_run(tx, 10, 10, 60);
		expect_run(rx, 0, 20, 60);
		in_near(&lab, name_back);
		check_ledger(rx, 20, 20);
		must_close(rx);
	}
	must_close(tx);
	bench_lab_close(&lab);
}

struct worker {
	struct shunt_dev *rx;
	unsigned got;
	bool quit;
};

/* A queue's thread as it should be: after the stop, until there is nothing. */
static void *work(void *arg)
{
	struct worker *w = arg;
	struct shunt_pkt pkts[32];

	for (int n = 1, last = 0; n > 0 || !last;) {
		last = __atomic_load_n(&w->quit, __ATOMIC_ACQUIRE); /* before the call, not after */
		n = shunt_rx(queue_of(w->rx), pkts, 32);
		if (n <= 0)
			continue;
		w->got += (unsigned)n;
		shunt_release(queue_of(w->rx), pkts, (unsigned)n);
	}
	return NULL;
}

/* Stop and ledger on one thread while another receives: the last frame is not lost. */
Test(packet_link, stopped_by_another_thread)
{
	char rest[64];
	NEED_LAB(lab);
	struct shunt_dev *tx = tx_dev(&lab);

	EACH(m, modes)
	EACH(w, waits)
	{
		pthread_t thread;
		struct shunt_ledger l;
		snprintf(rest, sizeof rest, "mode=%s&wait=%s", modes[m], waits[w]);
		struct worker job = {.rx = rx_dev(&lab, rest)};
		cr_assert_eq(pthread_create(&thread, NULL, work, &job), 0);
		for (unsigned i = 0; i < 10; i++) {
			send_run(tx, 0, 200, 60);
			cr_assert_eq(shunt_get_ledger(job.rx, &l, NULL), 0);
		}
		cr_assert_eq(shunt_stop(job.rx, NULL), 0);
		cr_assert_eq(shunt_get_ledger(job.rx, &l, NULL), 0);
		__atomic_store_n(&job.quit, true, __ATOMIC_RELEASE);
		pthread_join(thread, NULL);
		cr_assert_eq(job.got, 2000u, "%s: %u", rest, job.got);
		check_ledger(job.rx, 2000, 2000);
		must_close(job.rx);
	}
	must_close(tx);
	bench_lab_close(&lab);
}
