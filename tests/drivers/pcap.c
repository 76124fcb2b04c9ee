/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/traffic/source.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <shunt/shunt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define ETHERNET 1
#define COOKED   113 /* LINUX_SLL */
#define HEADER   24  /* of a pcap file */

static char path[64];

static FILE *create(void)
{
	strcpy(path, "/tmp/shunt-pcap-XXXXXX");
	int fd = mkstemp(path);
	cr_assert_geq(fd, 0);
	return fdopen(fd, "wb");
}

static void put32(FILE *f, uint32_t v, bool swap)
{
	v = swap ? __builtin_bswap32(v) : v;
	cr_assert_eq(fwrite(&v, 4, 1, f), 1);
}

static void put16(FILE *f, uint16_t v, bool swap)
{
	v = swap ? __builtin_bswap16(v) : v;
	cr_assert_eq(fwrite(&v, 2, 1, f), 1);
}

static void put_header(FILE *f, uint32_t magic, uint32_t linktype, bool swap)
{
	put32(f, magic, swap);
	put16(f, 2, swap);
	put16(f, 4, swap);
	put32(f, 0, swap);
	put32(f, 0, swap);
	put32(f, 65535, swap);
	put32(f, linktype, swap);
}

static void put_frame(FILE *f, uint32_t sec, uint32_t frac, uint32_t len, uint8_t fill, bool swap)
{
	put32(f, sec, swap);
	put32(f, frac, swap);
	put32(f, len, swap);
	put32(f, len + 4, swap);
	for (uint32_t i = 0; i < len; i++)
		fputc(fill, f);
}

static struct shunt_dev *start(enum shunt_dir dir, const char *file, const char *keys)
{
	struct shunt_err err = {.code = 0};
	struct shunt_dev *dev;
	char spec[256];

	snprintf(spec, sizeof spec, "pcap:%s%s", file, keys);
	cr_assert_eq(shunt_open(&dev, spec, dir, &err), 0, "%s: %s", spec, err.what);
	cr_assert_eq(shunt_start(dev, &err), 0, "%s: %s", spec, err.what);
	return dev;
}

/* Opening must be a usage error whose text has the given words. */
static void refused(const char *file, const char *a, const char *b)
{
	struct shunt_err err = {.code = 0};
	struct shunt_dev *dev;
	char spec[256];

	snprintf(spec, sizeof spec, "pcap:%s", file);
	cr_assert_lt(shunt_open(&dev, spec, SHUNT_RX, &err), 0);
	cr_assert_eq(err.kind, SHUNT_ERR_USAGE);
	cr_assert(strstr(err.what, a) && strstr(err.what, b), "%s", err.what);
	cr_assert_not(strchr(err.what, '\n'));
}

static void closed_ledger(struct shunt_dev *dev, uint64_t frames)
{
	struct shunt_ledger l;

	cr_assert_eq(shunt_stop(dev, NULL), 0);
	cr_assert_eq(shunt_get_ledger(dev, &l, NULL), 0);
	cr_assert_eq(l.received, frames);
	cr_assert_eq(l.delivered, frames);
	cr_assert_eq(l.unaccounted, 0);
	cr_assert_eq(shunt_close(dev, NULL), 0);
}

Test(pcap, reads_both_byte_orders_and_precisions)
{
	for (unsigned kind = 0; kind < 4; kind++) {
		bool swap = kind & 1, nano = kind & 2;
		FILE *f = create();
		put_header(f, nano ? 0xa1b23c4d : 0xa1b2c3d4, ETHERNET, swap);
		put_frame(f, 1000, 123456, 60, 'a', swap);
		put_frame(f, 4000000000u, 999999, 1514, 'b', swap);
		fclose(f);
		struct shunt_dev *dev = start(SHUNT_RX, path, "");
		struct shunt_queue *q = shunt_get_queue(dev, 0);
		struct shunt_pkt p[4];
		cr_assert_eq(shunt_rx(q, p, 4), 2, "kind %u", kind);
		cr_assert_eq(p[0].ts_ns, 1000000000000ull + 123456ull * (nano ? 1 : 1000));
		cr_assert_eq(p[1].ts_ns, 4000000000000000000ull + 999999ull * (nano ? 1 : 1000));
		cr_assert_eq(p[1].len, 1514);
		cr_assert_eq(p[1].wire_len, 1518);
		cr_assert_eq(p[1].flags, SHUNT_PKT_TS_FILE | SHUNT_PKT_TRUNC);
		cr_assert_eq(((uint8_t *)p[1].data)[1513], 'b');
		cr_assert_eq(shunt_rx(q, p + 2, 2), -ENODATA);
		cr_assert_eq(shunt_rx(q, p + 2, 2), -ENODATA);
		shunt_release(q, p, 2);
		closed_ledger(dev, 2);
		unlink(path);
	}
}

/* A section, and interfaces of the given link types with ns time stamps. */
static void put_section(FILE *f, const uint16_t *types, unsigned n, bool swap)
{
	put32(f, 0x0a0d0d0a, swap);
	put32(f, 28, swap);
	put32(f, 0x1a2b3c4d, swap);
	put16(f, 1, swap);
	put16(f, 0, swap);
	put32(f, 0xffffffff, swap);
	put32(f, 0xffffffff, swap);
	put32(f, 28, swap);
	for (unsigned i = 0; i < n; i++) {
		put32(f, 1, swap);
		put32(f, 32, swap);
		put16(f, types[i], swap);
		put16(f, 0, swap);
		put32(f, 65535, swap);
		put16(f, 9, swap); /* if_tsresol */
		put16(f, 1, swap);
		fwrite("\x09\0\0\0", 4, 1, f);
		put32(f, 0, swap); /* end of options */
		put32(f, 32, swap);
	}
}

static void put_block(FILE *f, uint32_t interface, uint64_t ts, uint32_t len, bool swap)
{
	put32(f, 6, swap);
	put32(f, 32 + len, swap);
	put32(f, interface, swap);
	put32(f, (uint32_t)(ts >> 32), swap);
	put32(f, (uint32_t)ts, swap);
	put32(f, len, swap);
	put32(f, len, swap);
	for (uint32_t i = 0; i < len; i++)
		fputc(0x5a, f);
	put32(f, 32 + len, swap);
}

Test(pcap, reads_pcapng)
{
	for (unsigned swap = 0; swap < 2; swap++) {
		FILE *f = create();
		put_section(f, (uint16_t[]){ETHERNET, ETHERNET}, 2, swap);
		put_block(f, 0, 1700000000123456789ull, 60, swap);
		put_block(f, 1, 1700000000123456790ull, 64, swap);
		fclose(f);
		struct shunt_dev *dev = start(SHUNT_RX, path, "");
		struct shunt_pkt p[4];
		cr_assert_eq(shunt_rx(shunt_get_queue(dev, 0), p, 4), 2);
		cr_assert_eq(p[0].ts_ns, 1700000000123456789ull);
		cr_assert_eq(p[1].ts_ns, 1700000000123456790ull);
		cr_assert_eq(p[0].flags, SHUNT_PKT_TS_FILE);
		shunt_release(shunt_get_queue(dev, 0), p, 2);
		closed_ledger(dev, 2);
		unlink(path);
	}
}

Test(pcap, says_when_interfaces_differ)
{
	FILE *f = create();
	struct shunt_info info;
	struct shunt_pkt p[4];

	put_section(f, (uint16_t[]){ETHERNET, COOKED}, 2, false);
	put_block(f, 0, 1, 60, false);
	fclose(f);
	struct shunt_dev *dev = start(SHUNT_RX, path, "");
	cr_assert_eq(shunt_rx(shunt_get_queue(dev, 0), p, 4), -EIO);
	shunt_get_info(dev, &info);
	cr_assert(strstr(info.gone, path) && strstr(info.gone, "type"), "%s", info.gone);
	closed_ledger(dev, 0);
	unlink(path);
}

Test(pcap, refuses_what_is_no_ethernet_capture)
{
	FILE *f = create();

	fclose(f);
	refused("/nonexistent/x.pcap", "/nonexistent/x.pcap", "No such file");
	refused("", "which file", "");
	refused(path, path, "truncated");
	f = fopen(path, "wb");
	fputs("this is no capture file, but it is long enough to be one", f);
	fclose(f);
	refused(path, path, "unknown file format");
	f = fopen(path, "wb");
	put_header(f, 0xa1b2c3d4, COOKED, false);
	put_frame(f, 1, 2, 60, 0, false);
	fclose(f);
	refused(path, path, "LINUX_SLL");
	struct shunt_pkt p;
	struct shunt_dev *dev = start(SHUNT_RX, path, "?linktype=any");
	cr_assert_eq(shunt_rx(shunt_get_queue(dev, 0), &p, 1), 1);
	shunt_release(shunt_get_queue(dev, 0), &p, 1);
	closed_ledger(dev, 1);
	unlink(path);
}

Test(pcap, names_the_frame_that_is_cut_off)
{
	/* Inside the second frame's data, and inside its header. */
	for (unsigned i = 0; i < 2; i++) {
		FILE *f = create();
		struct shunt_info info;
		struct shunt_pkt p[4];
		put_header(f, 0xa1b2c3d4, ETHERNET, false);
		put_frame(f, 1, 2, 60, 0, false);
		put_frame(f, 1, 3, 60, 0, false);
		fclose(f);
		cr_assert_eq(truncate(path, HEADER + 76 + (i ? 7 : 50)), 0);
		struct shunt_dev *dev = start(SHUNT_RX, path, "");
		cr_assert_eq(shunt_rx(shunt_get_queue(dev, 0), p, 4), 1);
		cr_assert_eq(shunt_rx(shunt_get_queue(dev, 0), p + 1, 3), -EIO);
		shunt_get_info(dev, &info);
		cr_assert(strstr(info.gone, path) && strstr(info.gone, "frame 2") &&
				  strstr(info.gone, "truncated"),
			"%s", info.gone);
		shunt_release(shunt_get_queue(dev, 0), p, 1);
		closed_ledger(dev, 1);
		unlink(path);
	}
}

Test(pcap, without_frames_it_ends_at_once)
{
	FILE *f = create();
	struct shunt_pkt p;

	put_header(f, 0xa1b2c3d4, ETHERNET, false);
	fclose(f);
	struct shunt_dev *dev = start(SHUNT_RX, path, "");
	cr_assert_eq(shunt_rx(shunt_get_queue(dev, 0), &p, 1), -ENODATA);
	closed_ledger(dev, 0);
	unlink(path);
}

Test(pcap, reads_tags)
{
	static const uint8_t tagged[18] = {[12] = 0x88, [13] = 0xa8, [14] = 0x60, [15] = 0x23};
	FILE *f = create();
	struct shunt_pkt p;

	put_header(f, 0xa1b2c3d4, ETHERNET, false);
	for (unsigned i = 0; i < 2; i++)
		put32(f, 1, false);
	put32(f, 18, false);
	put32(f, 18, false);
	fwrite(tagged, 18, 1, f);
	fclose(f);
	struct shunt_dev *dev = start(SHUNT_RX, path, "");
	cr_assert_eq(shunt_rx(shunt_get_queue(dev, 0), &p, 1), 1);
	cr_assert_eq(p.flags, SHUNT_PKT_TS_FILE | SHUNT_PKT_VLAN);
	cr_assert_eq(p.vlan_tpid, 0x88a8);
	cr_assert_eq(p.vlan_tci, 0x6023);
	shunt_release(shunt_get_queue(dev, 0), &p, 1);
	closed_ledger(dev, 1);
	unlink(path);
}

/* Copies a file frame by frame through two devices; returns how many. */
static unsigned copy(const char *from, const char *to)
{
	struct shunt_dev *in = start(SHUNT_RX, from, ""), *out = start(SHUNT_TX, to, "");
	struct shunt_queue *rx = shunt_get_queue(in, 0), *tx = shunt_get_queue(out, 0);
	struct shunt_pkt p[SHUNT_BURST];
	unsigned frames = 0;
	int n;

	while ((n = shunt_rx(rx, p, SHUNT_BURST)) > 0) {
		cr_assert_eq(shunt_tx(tx, p, (unsigned)n), n);
		for (int i = 0; i < n; i++)
			cr_assert(p[i].flags & SHUNT_PKT_KEPT);
		shunt_release(rx, p, (unsigned)n);
		frames += (unsigned)n;
	}
	cr_assert_eq(n, -ENODATA);
	cr_assert_eq(tx->stats.user_copies, frames);
	cr_assert_eq(tx->stats.tx_errors, 0);
	cr_assert_eq(shunt_close(out, NULL), 0);
	closed_ledger(in, frames);
	return frames;
}

static void same_frames(const char *a, const char *b, unsigned frames)
{
	struct shunt_dev *da = start(SHUNT_RX, a, ""), *db = start(SHUNT_RX, b, "");
	struct shunt_queue *qa = shunt_get_queue(da, 0), *qb = shunt_get_queue(db, 0);
	struct shunt_pkt pa, pb;
	unsigned n = 0;

	while (shunt_rx(qa, &pa, 1) == 1) {
		cr_assert_eq(shunt_rx(qb, &pb, 1), 1);
		cr_assert_eq(pa.len, pb.len);
		cr_assert_eq(pa.wire_len, pb.wire_len);
		cr_assert_eq(pa.ts_ns, pb.ts_ns);
		cr_assert_arr_eq(pa.data, pb.data, pa.len);
		shunt_release(qa, &pa, 1);
		shunt_release(qb, &pb, 1);
		n++;
	}
	cr_assert_eq(shunt_rx(qb, &pb, 1), -ENODATA);
	cr_assert_eq(n, frames);
	shunt_close(da, NULL);
	shunt_close(db, NULL);
}

Test(pcap, writes_what_it_reads)
{
	char from[64];
	FILE *f = create();

	put_header(f, 0xa1b23c4d, ETHERNET, false);
	for (unsigned i = 0; i < 3000; i++)
		put_frame(f, i, i, 14 + i * 7 % 2000, (uint8_t)i, false);
	put_frame(f, 9, 9, 65536, 'g', false); /* as GSO and GRO make them */
	fclose(f);
	strcpy(from, path);
	fclose(create());
	cr_assert_eq(copy(from, path), 3001);
	same_frames(from, path, 3001);
	unlink(from);
	unlink(path);
}

/* What libpcap can't read to its end: interfaces of several link types. */
static bool refused_by_libpcap(const char *file)
{
	struct shunt_dev *dev = start(SHUNT_RX, file, "");
	struct shunt_info info;
	struct shunt_pkt p;
	int rc;

	while ((rc = shunt_rx(shunt_get_queue(dev, 0), &p, 1)) == 1)
		shunt_release(shunt_get_queue(dev, 0), &p, 1);
	shunt_get_info(dev, &info);
	shunt_close(dev, NULL);
	return rc == -EIO && strstr(info.gone, "an interface has a type");
}

Test(pcap, real_captures_survive_a_copy)
{
	const char *folder = getenv("SHUNT_CAPTURES");
	DIR *dir = folder ? opendir(folder) : NULL;
	struct dirent *e;
	unsigned files = 0;

	if (!dir)
		cr_skip_test("SHUNT_CAPTURES names no folder of capture files");
	fclose(create());
	while ((e = readdir(dir))) {
		char from[512], spec[600];
		struct shunt_dev *probe;
		if (!strstr(e->d_name, ".pcap"))
			continue;
		snprintf(from, sizeof from, "%s/%s", folder, e->d_name);
		snprintf(spec, sizeof spec, "pcap:%s", from);
		if (shunt_open(&probe, spec, SHUNT_RX, NULL))
			continue; /* not Ethernet */
		shunt_close(probe, NULL);
		if (refused_by_libpcap(from))
			continue;
		same_frames(from, path, copy(from, path));
		files++;
	}
	closedir(dir);
	unlink(path);
	cr_assert_gt(files, 0);
}

Test(pcap, a_full_disk_is_an_error_and_the_file_stays_whole)
{
	struct rlimit limit = {10000, 10000};
	static uint8_t data[100];
	struct shunt_pkt p[8];
	struct shunt_info info;
	uint64_t frames = 0;
	int n;

	struct shunt_dev *full;
	struct shunt_err err = {.code = 0};
	cr_assert_eq(shunt_open(&full, "pcap:/dev/full", SHUNT_TX, &err), 0);
	cr_assert_eq(shunt_start(full, &err), -ENOSPC);
	cr_assert_eq(err.kind, SHUNT_ERR_RUN);
	shunt_close(full, NULL);

	fclose(create());
	signal(SIGXFSZ, SIG_IGN);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	struct shunt_dev *dev = start(SHUNT_TX, path, "");
	struct shunt_queue *q = shunt_get_queue(dev, 0);
	for (unsigned i = 0; i < 8; i++)
		p[i] = (struct shunt_pkt){.data = data, .len = 100};
	while ((n = shunt_tx(q, p, 8)) == 8)
		frames += 8;
	cr_assert_eq(n, -EIO);
	shunt_get_info(dev, &info);
	cr_assert(strstr(info.gone, "cannot write"), "%s", info.gone);
	cr_assert_eq(q->stats.tx_packets, frames);
	frames -= q->stats.tx_errors;
	cr_assert_eq(frames, (10000 - HEADER) / 116);
	shunt_close(dev, NULL);
	dev = start(SHUNT_RX, path, "");
	uint64_t found = 0;
	while ((n = shunt_rx(shunt_get_queue(dev, 0), p, 1)) == 1) {
		shunt_release(shunt_get_queue(dev, 0), p, 1);
		found++;
	}
	cr_assert_eq(n, -ENODATA);
	cr_assert_eq(found, frames);
	shunt_close(dev, NULL);
	unlink(path);
}

Test(pcap, packets_out_hold_it_open)
{
	FILE *f = create();
	struct shunt_pkt p[2];

	put_header(f, 0xa1b2c3d4, ETHERNET, false);
	for (unsigned i = 0; i < 3; i++)
		put_frame(f, 1, i, 60, (uint8_t)i, false);
	fclose(f);
	struct shunt_dev *dev = start(SHUNT_RX, path, "");
	struct shunt_queue *q = shunt_get_queue(dev, 0);
	cr_assert_eq(shunt_rx(q, p, 2), 2);
	cr_assert_eq(shunt_close(dev, NULL), -EBUSY);
	shunt_release(q, &p[1], 1);
	shunt_release(q, &p[0], 1);
	closed_ledger(dev, 2); /* the third was never read */
	unlink(path);
}

Test(pcap, source_follows_the_files_clock)
{
	/* ms: 50 on; 20 back; the same again; 3 s on, which counts 1 s. */
	static const uint32_t ms[] = {1000, 1050, 1030, 1030, 4030, 4040};
	static const uint64_t due[] = {0, 50, 50, 50, 1050, 1060};
	FILE *f = create();

	put_header(f, 0xa1b2c3d4, ETHERNET, false);
	for (unsigned i = 0; i < 6; i++)
		put_frame(f, ms[i] / 1000, ms[i] % 1000 * 1000, 60 + i, (uint8_t)i, false);
	fclose(f);
	for (unsigned speed = 1; speed <= 2; speed++) {
		struct shunt_source *s;
		struct shunt_frame fr[8];
		cr_assert_eq(bench_source_open(&s, path, speed, NULL), 0);
		cr_assert_eq(s->next(s, fr, 8), 6);
		for (unsigned i = 0; i < 6; i++) {
			cr_assert_eq(fr[i].len, 60 + i);
			cr_assert_eq(fr[i].due_ns, due[i] * 1000000 / speed, "frame %u", i);
			cr_assert_eq(((const uint8_t *)fr[i].data)[59 + i], i);
		}
		cr_assert_eq(s->next(s, fr, 8), 0);
		cr_assert_eq(s->next(s, fr, 8), 0);
		cr_assert_eq(bench_source_error(s, NULL), 0);
		bench_source_close(s);
	}
	unlink(path);
}

Test(pcap, source_gives_what_is_before_the_damage)
{
	FILE *f = create();
	struct shunt_err err = {.code = 0};
	struct shunt_source *s;
	struct shunt_frame fr[32];
	unsigned got = 0;
	int n;

	put_header(f, 0xa1b2c3d4, ETHERNET, false);
	for (unsigned i = 0; i < 40; i++)
		put_frame(f, 1, i, 60000, (uint8_t)i, false);
	fclose(f);
	cr_assert_eq(truncate(path, HEADER + 39 * 60016 + 17), 0);
	cr_assert_eq(bench_source_open(&s, path, 0, &err), -EINVAL);
	cr_assert_eq(bench_source_open(&s, path, 1, &err), 0);
	while ((n = s->next(s, fr, 32)) > 0)
		for (int i = 0; i < n; i++, got++)
			cr_assert_eq(((const uint8_t *)fr[i].data)[59999], got);
	cr_assert_eq(n, -EIO);
	cr_assert_eq(got, 39);
	cr_assert_eq(bench_source_error(s, &err), -EIO);
	cr_assert(strstr(err.what, path) && strstr(err.what, "frame 40"), "%s", err.what);
	bench_source_close(s);
	unlink(path);
}
