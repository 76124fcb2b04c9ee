/* SPDX-License-Identifier: BSD-2-Clause
 * In place of source.c where libpcap is absent: no capture file can be opened.
 */
#include "bench/traffic/source.h"

#include <errno.h>
#include <stddef.h>

int bench_source_open(
	struct shunt_source **source, const char *path, double speed, struct shunt_err *err)
{
	(void)speed;
	*source = NULL;
	return shunt_fail(err, -ENOTSUP, "install libpcap-dev and build again",
		"%.180s: shunt was built without support for capture files", path);
}

int bench_source_error(const struct shunt_source *source, struct shunt_err *err)
{
	(void)source, (void)err;
	return 0;
}

void bench_source_close(struct shunt_source *source)
{
	(void)source;
}
