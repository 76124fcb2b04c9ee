/* SPDX-License-Identifier: BSD-2-Clause
 * The frames of a test, made from a seed, a direction and a number alone: whoever sees one can make
 * it again and compare. IPv4 and UDP to the discard port (RFC 863), every eighth with an 802.1Q
 * tag, 60 to 1514 bytes, flows that differ in the source port.
 */
#ifndef TESTS_GUEST_FRAMES_H
#define TESTS_GUEST_FRAMES_H

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define FRAME_MIN   60
#define FRAME_MAX   1514
#define FRAME_MAGIC 0x73687574u

enum frame_dir { FRAME_TX, FRAME_RX }; /* as the guest sees it */

static inline uint64_t frame_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u; /* splitmix64 */

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static inline uint32_t frame_length(uint32_t i, uint64_t random)
{
	static const uint16_t edges[] = {60, 61, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1023,
		1024, 1025, 1279, 1280, 1513, 1514};

	if (i < sizeof edges / sizeof *edges)
		return edges[i];
	return FRAME_MIN + (uint32_t)(random % (FRAME_MAX - FRAME_MIN + 1));
}

static inline uint16_t frame_ip_sum(const uint8_t *ip)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < 20; i += 2)
		sum += (uint32_t)ip[i] << 8 | ip[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static inline void frame_put16(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static inline void frame_put32(uint8_t *at, uint32_t value)
{
	frame_put16(at, value >> 16);
	frame_put16(at + 2, value);
}

/* Frame i into f, which has room for FRAME_MAX bytes; returns its length. */
static inline uint32_t frame_make(
	uint8_t *f, uint64_t seed, enum frame_dir dir, const uint8_t *mac, uint32_t i)
{
	static const uint8_t far[6] = {2, 0, 0, 0, 0, 0x77};
	uint64_t state = (seed * 2 + dir) << 32 ^ i;
	bool tagged = i % 8 == 3;
	uint32_t len = frame_length(i, frame_random(&state)), at = 12;

	/* QEMU's igb pads what is short once it took the tag out. */
	if (tagged && len < FRAME_MIN + 4)
		len += 4;

	for (uint32_t k = 0; k < len; k += 8) {
		uint64_t r = frame_random(&state);
		memcpy(f + k, &r, len - k < 8 ? len - k : 8);
	}
	memcpy(f, dir == FRAME_RX ? mac : far, 6);
	memcpy(f + 6, dir == FRAME_RX ? far : mac, 6);
	if (tagged) {
		frame_put16(f + at, 0x8100);
		frame_put16(f + at + 2, (i % 8) << 13 | (1 + i % 4094));
		at += 4;
	}
	frame_put16(f + at, 0x0800);
	uint8_t *ip = f + at + 2, *udp = ip + 20;
	uint32_t total = len - (at + 2);
	memcpy(ip, "\x45\0\0\0\0\0\x40\0\x40\x11\0\0\xc6\x12\0\1\xc6\x13\0\2", 20);
	frame_put16(ip + 2, total);
	frame_put16(ip + 10, frame_ip_sum(ip));
	frame_put16(udp, 1024 + i % 64);
	frame_put16(udp + 2, 9);
	frame_put16(udp + 4, total - 20);
	frame_put16(udp + 6, 0);
	frame_put32(udp + 8, FRAME_MAGIC);
	frame_put32(udp + 12, i);
	return len;
}

/* Is it one of these frames, and which? */
static inline bool frame_number(const uint8_t *f, uint32_t len, uint32_t *i)
{
	uint32_t at = len > 18 && f[12] == 0x81 && !f[13] ? 18 : 14, word;

	if (len < at + 36)
		return false;
	memcpy(&word, f + at + 28, 4);
	if (ntohl(word) != FRAME_MAGIC)
		return false;
	memcpy(&word, f + at + 32, 4);
	*i = ntohl(word);
	return true;
}
#endif
