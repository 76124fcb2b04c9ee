/* SPDX-License-Identifier: BSD-2-Clause
 * A program of somebody who has installed shunt; also compiled as C++.
 */
#include <shunt/shunt.h>
#include <stdio.h>

int main(void)
{
	struct shunt_dev *dev;
	struct shunt_err err;
	struct shunt_pkt pkts[SHUNT_BURST];
	int got = 0;

	if (shunt_open(&dev, "null:?size=99", SHUNT_RX, &err) || shunt_start(dev, &err)) {
		fprintf(stderr, "%s: %s\n", err.what, err.remedy);
		return 1;
	}
	struct shunt_queue *q = shunt_get_queue(dev, 0);
	for (int i = 0; i < 10; i++) {
		int n = shunt_rx(q, pkts, SHUNT_BURST);
		got += n;
		shunt_release(q, pkts, (unsigned)n);
	}
	printf("%d packets of %u bytes\n", got, pkts[0].len);
	return shunt_close(dev, &err) ? 1 : 0;
}
