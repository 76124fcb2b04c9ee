/* SPDX-License-Identifier: BSD-2-Clause
 * A capture file that is read from its start, once: pcap and pcapng, through libpcap. Errors name
 * the file and the frame. Any thread, one at a time.
 */
#ifndef DRIVERS_PCAP_FILE_H
#define DRIVERS_PCAP_FILE_H

#include <pcap/pcap.h>
#include <shunt/err.h>
#include <stdbool.h>
#include <stdint.h>

/* No frame in a capture file is longer: libpcap's own limit for Ethernet. */
#define CAPTURE_FRAME_MAX 262144u

struct capture_file {
	pcap_t *pcap;
	char path[200]; /* as the user gave it */
	int linktype;
	uint64_t frames; /* read so far */
};

struct capture_frame {
	const uint8_t *data; /* valid until the next call */
	uint32_t len, wire_len;
	uint64_t ts_ns;
};

/* A usage error where there is no such file, where it is no capture file, or where its link type
 * is not Ethernet and any is false. "-" is standard input. */
int capture_file_open(struct capture_file *file, const char *path, bool any, struct shunt_err *err);
/* The same from a stream, which is closed with the file, or at once on error. */
int capture_file_open_stream(
	struct capture_file *file, FILE *stream, const char *name, bool any, struct shunt_err *err);
/* 1, 0 at the end, or -EIO where the file is damaged or ends inside a frame. */
int capture_file_next(
	struct capture_file *file, struct capture_frame *frame, struct shunt_err *err);
void capture_file_close(struct capture_file *file);

#endif
