/* SPDX-License-Identifier: BSD-2-Clause
 * DPDK's drivers as a contender. Arguments: those of its environment layer, to --. What an
 * application can choose is chosen as testpmd does, the faster call where there are two: a cache of
 * mbufs for the core, bulk allocation and bulk release.
 */
#include "port.h"

#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <stdio.h>
#include <unistd.h>

#define MBUFS     4095
#define CACHE     250 /* testpmd's */
#define FREE      32  /* rx_free_thresh */
#define LINK_WAIT 160 /* times 50 ms */

static struct rte_mempool *pool;
static struct rte_mbuf *pkts[PORT_BURST];

static int fail(const char *what, int rc)
{
	fprintf(stderr, "dpdk: %s: %s\n", what, rte_strerror(rc < 0 ? -rc : rte_errno));
	return -1;
}

static int start(void)
{
	struct rte_eth_conf conf = {.rxmode = {.mq_mode = RTE_ETH_MQ_RX_NONE}};
	struct rte_eth_dev_info info;
	uint16_t rx = PORT_RING, tx = PORT_RING;
	int rc = rte_eth_dev_info_get(0, &info);

	if (rc)
		return fail("no card", rc);
	info.default_rxconf.rx_free_thresh = FREE;
	if ((rc = rte_eth_dev_configure(0, 1, 1, &conf)) ||
		(rc = rte_eth_dev_adjust_nb_rx_tx_desc(0, &rx, &tx)) ||
		(rc = rte_eth_rx_queue_setup(0, 0, rx, 0, &info.default_rxconf, pool)) ||
		(rc = rte_eth_tx_queue_setup(0, 0, tx, 0, &info.default_txconf)) ||
		(rc = rte_eth_dev_start(0)) || (rc = rte_eth_promiscuous_enable(0)))
		return fail(info.driver_name, rc);
	struct rte_eth_link link = {.link_status = 0};
	for (unsigned i = 0; i < LINK_WAIT && !link.link_status; i++) {
		usleep(50000);
		rte_eth_link_get_nowait(0, &link);
	}
	return link.link_status ? 0 : fail("no link", -ETIMEDOUT);
}

int port_open(int argc, char **argv)
{
	int used = rte_eal_init(argc, argv);

	if (used < 0)
		return fail("rte_eal_init", -1);
	pool = rte_pktmbuf_pool_create("pkts", MBUFS, CACHE, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
	if (!pool)
		return fail("no memory for packets", 0);
	return start() ? -1 : used;
}

void port_close(void)
{
	rte_eth_dev_stop(0);
	rte_eth_dev_close(0);
}

int port_send(unsigned n)
{
	if (rte_pktmbuf_alloc_bulk(pool, pkts, n))
		return 0;
	for (unsigned i = 0; i < n; i++)
		pkts[i]->data_len = pkts[i]->pkt_len = PORT_FRAME;
	uint16_t sent = rte_eth_tx_burst(0, 0, pkts, (uint16_t)n);
	if (sent < n)
		rte_pktmbuf_free_bulk(pkts + sent, n - sent);
	return sent;
}

/* A driver may give less than it has (virtio's: 64): until the burst is full, or nothing more
 * comes. */
static unsigned receive(unsigned n)
{
	unsigned got = 0, some;

	do {
		some = rte_eth_rx_burst(0, 0, pkts + got, (uint16_t)(n - got));
		got += some;
	} while (got < n && some);
	return got;
}

int port_receive(unsigned n)
{
	unsigned got = receive(n);

	rte_pktmbuf_free_bulk(pkts, got);
	return (int)got;
}

int port_echo(unsigned n)
{
	unsigned got = receive(n);
	unsigned sent = got ? rte_eth_tx_burst(0, 0, pkts, (uint16_t)got) : 0;

	if (sent < got)
		rte_pktmbuf_free_bulk(pkts + sent, got - sent);
	return (int)sent;
}
