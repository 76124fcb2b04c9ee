/* SPDX-License-Identifier: BSD-2-Clause
 * XDP frames that the interface took. A test run reports success whatever becomes of a frame;
 * veth counts what its peer's NAPI took and what was refused (too long, ring full), by ethtool.
 */
#include "drivers/xdpgen/xdpgen.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

static int ethtool(const struct xdpgen_queue *xq, void *command)
{
	struct ifreq ifr;
	int rc = xdpgen_link_name(xq, &ifr);

	if (rc)
		return rc;
	ifr.ifr_data = command;
	return ioctl(xq->sock, SIOCETHTOOL, &ifr) ? -errno : 0;
}

static int count_stats(const struct xdpgen_queue *xq, uint32_t *n)
{
	/* The one count that is asked for follows the struct. */
	union {
		struct ethtool_sset_info info;
		uint32_t room[sizeof(struct ethtool_sset_info) / 4 + 1];
	} set = {.info = {.cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1u << ETH_SS_STATS}};
	int rc = ethtool(xq, &set);

	*n = set.room[sizeof(struct ethtool_sset_info) / 4];
	return rc ? rc : set.info.sset_mask ? 0 : -EOPNOTSUPP;
}

/* tx_queue_N_xdp_xmit and tx_queue_N_xdp_xmit_errors: the peer's queues, seen from the sender. */
static void add(struct xdpgen_counters *c, const char *name, uint64_t value)
{
	const char *what = strstr(name, "_xdp_xmit");

	if (strncmp(name, "tx_queue_", 9) || !what)
		return;
	c->known = true;
	if (!strcmp(what, "_xdp_xmit"))
		c->taken += value;
	else if (!strcmp(what, "_xdp_xmit_errors"))
		c->errors += value;
}

int xdpgen_ledger_read(struct xdpgen_queue *xq, struct xdpgen_counters *c)
{
	uint32_t n = 0;
	int rc = count_stats(xq, &n);

	memset(c, 0, sizeof *c);
	if (rc || !n)
		return rc == -EOPNOTSUPP ? 0 : rc;
	struct ethtool_gstrings *names = calloc(1, sizeof *names + (size_t)n * ETH_GSTRING_LEN);
	struct ethtool_stats *values = calloc(1, sizeof *values + n * sizeof(uint64_t));
	rc = names && values ? 0 : -ENOMEM;
	if (!rc) {
		names->cmd = ETHTOOL_GSTRINGS;
		names->string_set = ETH_SS_STATS;
		names->len = n;
		rc = ethtool(xq, names);
	}
	if (!rc) {
		values->cmd = ETHTOOL_GSTATS;
		values->n_stats = n;
		rc = ethtool(xq, values);
	}
	for (uint32_t i = 0; !rc && i < n && i < names->len && i < values->n_stats; i++) {
		names->data[(i + 1) * ETH_GSTRING_LEN - 1] = 0;
		add(c, (const char *)names->data + i * ETH_GSTRING_LEN, values->data[i]);
	}
	free(names);
	free(values);
	return rc;
}

int xdpgen_ledger_settle(struct xdpgen_queue *xq, struct xdpgen_settled *s)
{
	struct xdpgen_counters c;
	int rc = xdpgen_ledger_read(xq, &c);
	uint64_t taken = c.taken - xq->last.taken, errors = c.errors - xq->last.errors;
	uint64_t offered = xq->offered;

	*s = (struct xdpgen_settled){.refused = 0};
	xq->offered = 0;
	if (rc || !c.known)
		return rc;
	xq->last = c;
	s->shared = taken + errors > offered;
	if (!s->shared)
		s->refused = offered - taken;
	else /* frames of others were taken, too: the refused ones may include some of theirs */
		s->refused = errors < offered ? errors : offered;
	SHUNT_COUNT(&xq->q, tx_errors, s->refused);
	return 0;
}

int xdpgen_ledger(struct shunt_dev *dev, struct shunt_ledger *ledger, struct shunt_err *err)
{
	(void)dev, (void)err;
	ledger->received_source = "nothing: it only transmits";
	return 0;
}
