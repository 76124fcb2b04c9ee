/* SPDX-License-Identifier: BSD-2-Clause
 * Capture files: any bytes are opened as one and read to the end, with every link type and with
 * Ethernet only. What was read must lie within the bounds that the drivers rely on.
 */
#include "drivers/pcap/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds)
{
	if (!holds)
		abort();
}

static void read_all(const uint8_t *data, size_t size, bool any)
{
	unsigned sum = 0;
	struct shunt_err err = {.code = 0};
	struct capture_frame f;
	struct capture_file file;
	uint64_t frames = 0;
	int rc;
	FILE *stream = fmemopen((void *)(uintptr_t)data, size, "rb");

	if (!stream) /* of no bytes at all, before glibc 2.22 */
		return;
	if (capture_file_open_stream(&file, stream, "input", any, &err)) {
		must(err.kind == SHUNT_ERR_USAGE && *err.what);
		return;
	}
	while ((rc = capture_file_next(&file, &f, &err)) == 1) {
		must(f.len <= CAPTURE_FRAME_MAX && f.len <= f.wire_len);
		must(++frames == file.frames);
		for (uint32_t i = 0; i < f.len; i++)
			sum += f.data[i];
	}
	__asm__ volatile("" : : "r"(sum)); /* every byte is read */
	must(!rc || (rc == -EIO && *err.what));
	capture_file_close(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_all(data, size, true);
	read_all(data, size, false);
	return 0;
}
