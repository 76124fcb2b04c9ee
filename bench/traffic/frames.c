/* SPDX-License-Identifier: BSD-2-Clause
 * Frames of RFC 2544 appendix C.2.6.4: addresses from 198.18.0.0/15, UDP. The UDP checksum is 0,
 * "not computed" in RFC 768, so that a timestamp written later does not invalidate it.
 */
#include "bench/traffic/frames.h"

#include "bench/lab/lab.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>

#define FLOWS_MAX  16384u
#define FIRST_PORT 1024u
#define TO_PORT    7u /* echo, as in RFC 2544 */

/* RFC 1071. */
static uint16_t checksum(const void *data, size_t len)
{
	const uint8_t *p = data;
	uint32_t sum = 0;

	for (size_t i = 0; i < len; i += 2)
		sum += (uint32_t)(p[i] << 8 | p[i + 1]);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return htons((uint16_t)~sum);
}

static void fill(uint8_t *f, uint32_t size, uint32_t flow)
{
	struct iphdr ip = {.version = 4,
		.ihl = 5,
		.ttl = 64,
		.protocol = IPPROTO_UDP,
		.tot_len = htons((uint16_t)(size - 14)),
		.saddr = htonl(0xc6120001),
		.daddr = htonl(0xc6120002)};
	struct udphdr udp = {.source = htons((uint16_t)(FIRST_PORT + flow)),
		.dest = htons(TO_PORT),
		.len = htons((uint16_t)(size - 34))};

	ip.check = checksum(&ip, sizeof ip);
	memcpy(f, bench_other_mac, 6);
	memcpy(f + 6, bench_far_mac, 6);
	f[12] = 8;
	f[13] = 0;
	memcpy(f + 14, &ip, sizeof ip);
	memcpy(f + 34, &udp, sizeof udp);
	memset(f + 42, 0, size - 42);
}

int bench_frames_make(
	struct shunt_frame **out, uint32_t size, uint32_t flows, struct shunt_err *err)
{
	*out = NULL;
	if (size < BENCH_FRAME_MIN || size > BENCH_FRAME_MAX)
		return shunt_fail_usage(err, -EINVAL,
			"60 is 64 bytes on the wire: the FCS is not counted",
			"a frame size of %u bytes is not within %u to %u", size, BENCH_FRAME_MIN,
			BENCH_FRAME_MAX);
	if (!flows || flows > FLOWS_MAX)
		return shunt_fail_usage(
			err, -EINVAL, NULL, "%u flows are not within 1 to %u", flows, FLOWS_MAX);
	struct shunt_frame *frames = malloc(flows * (sizeof *frames + size));
	if (!frames)
		return shunt_fail(err, -ENOMEM, NULL, "out of memory");
	uint8_t *bytes = (uint8_t *)(frames + flows);
	for (uint32_t i = 0; i < flows; i++, bytes += size) {
		fill(bytes, size, i);
		frames[i] = (struct shunt_frame){.data = bytes, .len = size};
	}
	*out = frames;
	return 0;
}
