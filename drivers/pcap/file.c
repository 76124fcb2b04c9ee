/* SPDX-License-Identifier: BSD-2-Clause
 * Capture files through libpcap, with time stamps in ns whatever the file has.
 */
#include "drivers/pcap/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int check_linktype(struct capture_file *f, bool any, struct shunt_err *err)
{
	const char *name, *what;

	f->linktype = pcap_datalink(f->pcap);
	if (any || f->linktype == DLT_EN10MB)
		return 0;
	name = pcap_datalink_val_to_name(f->linktype);
	what = pcap_datalink_val_to_description(f->linktype);
	int rc = shunt_fail_usage(err, -EINVAL,
		"linktype=any reads it; nothing but Ethernet can be sent",
		"%.120s: its frames are not Ethernet but %s (%.60s, number %d)", f->path,
		name ? name : "of an unknown link type", what ? what : "no description",
		f->linktype);
	capture_file_close(f);
	return rc;
}

int capture_file_open_stream(
	struct capture_file *f, FILE *stream, const char *name, bool any, struct shunt_err *err)
{
	char why[PCAP_ERRBUF_SIZE] = "";

	*f = (struct capture_file){.pcap = NULL};
	snprintf(f->path, sizeof f->path, "%s", name);
	f->pcap = pcap_fopen_offline_with_tstamp_precision(stream, PCAP_TSTAMP_PRECISION_NANO, why);
	if (f->pcap)
		return check_linktype(f, any, err);
	if (stream != stdin)
		fclose(stream);
	return shunt_fail_usage(err, -EINVAL, "`file` or capinfos identify it",
		"%.120s: no capture file: %.120s", name, why);
}

int capture_file_open(struct capture_file *f, const char *path, bool any, struct shunt_err *err)
{
	FILE *stream = strcmp(path, "-") ? fopen(path, "rbe") : stdin;

	*f = (struct capture_file){.pcap = NULL};
	if (!stream)
		return shunt_fail_usage(err, -errno, NULL, "%.180s: %s", path, strerror(errno));
	return capture_file_open_stream(f, stream, path, any, err);
}

/* Seconds are unsigned in a pcap file, but libpcap hands them over with a sign. tv_usec holds ns:
 * that is what was asked for at open. */
static uint64_t stamp_of(const struct timeval *tv)
{
	uint64_t sec = tv->tv_sec < 0 ? (uint32_t)tv->tv_sec : (uint64_t)tv->tv_sec;

	return sec * 1000000000u + (uint64_t)tv->tv_usec;
}

int capture_file_next(struct capture_file *f, struct capture_frame *frame, struct shunt_err *err)
{
	struct pcap_pkthdr *h;
	const u_char *data;
	int rc = pcap_next_ex(f->pcap, &h, &data);

	if (rc == PCAP_ERROR_BREAK)
		return 0;
	if (rc != 1)
		return shunt_fail(err, -EIO, "the frames before it are intact",
			"%.100s: damaged at frame %" PRIu64 ": %.110s", f->path, f->frames + 1,
			pcap_geterr(f->pcap));
	f->frames++;
	if (h->caplen > CAPTURE_FRAME_MAX)
		return shunt_fail(err, -EIO, NULL,
			"%.100s: frame %" PRIu64 " has %u bytes, more than %u", f->path, f->frames,
			h->caplen, CAPTURE_FRAME_MAX);
	*frame = (struct capture_frame){.data = data,
		.len = h->caplen,
		.wire_len = h->len < h->caplen ? h->caplen : h->len,
		.ts_ns = stamp_of(&h->ts)};
	return 1;
}

void capture_file_close(struct capture_file *f)
{
	if (f->pcap)
		pcap_close(f->pcap);
	f->pcap = NULL;
}
