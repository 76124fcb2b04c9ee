/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/drivers/model/intel.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define RX_PATTERN 4 /* bytes of a frame that a test looks at */

static uint32_t get(const struct intel_model *m, uint32_t reg)
{
	return *(volatile uint32_t *)(m->bar + reg);
}

static void set(struct intel_model *m, uint32_t reg, uint32_t v)
{
	*(volatile uint32_t *)(m->bar + reg) = v;
}

uint32_t model_reg(const struct intel_model *m, uint32_t reg)
{
	return get(m, reg);
}

static bool is_igb(const struct intel_model *m)
{
	return m->n.chip == &intel_82576;
}

static void link_up(struct intel_model *m, bool up)
{
	set(m, R_STATUS, (get(m, R_STATUS) & ~STATUS_LU) | (up ? STATUS_LU | 2u << 6 : 0));
}

static void do_reset(struct intel_model *m)
{
	uint32_t status = get(m, R_STATUS);

	if (m->stuck_reset)
		return;
	m->resets++;
	memset(m->bar, 0, MODEL_BAR);
	set(m, R_STATUS, status | STATUS_MASTER);
	set(m, R_EEC, EEC_AUTO_RD);
	set(m, R_CTRL, CTRL_VME); /* a wish of the EEPROM, to be undone */
	set(m, R_RAL(0), 0x00005452);
	set(m, R_RAH(0), 0x0100 | RAH_AV);
	set(m, R_MTA(7), 0x12345678); /* not cleared by all resets */
	set(m, R_RXCSUM, 0x300);
	if (is_igb(m))
		set(m, IGB_RX(0) + Q_DCTL, DCTL_ENABLE);
}

static uint16_t phy_status(struct intel_model *m)
{
	if (m->link_after && !m->no_link && !--m->link_after)
		link_up(m, true);
	return get(m, R_STATUS) & STATUS_LU ? BMSR_AUTONEG_DONE : 0;
}

static void do_mdic(struct intel_model *m)
{
	uint32_t v = get(m, R_MDIC), reg = v >> 16 & 31;
	uint16_t data = (uint16_t)v;

	if (m->dead_phy)
		return;
	cr_assert_eq(v & 0x03e00000, MDIC_PHY, "MDIC %#x: another PHY", v);
	if (v & MDIC_READ) {
		data = reg == PHY_BMSR ? phy_status(m) : reg == PHY_BMCR ? m->bmcr : 0;
	} else if (reg == PHY_BMCR) {
		m->bmcr = data & (uint16_t)~BMCR_AUTONEG_AGAIN;
		if (data & BMCR_AUTONEG_AGAIN && data & BMCR_AUTONEG) {
			m->negotiations++;
			link_up(m, false);
			m->link_after = 3;
		}
	}
	set(m, R_MDIC, (v & 0xffff0000) | data | MDIC_READY);
}

static void did_write(struct intel_model *m, uint32_t reg)
{
	uint32_t v = get(m, reg);

	switch (reg) {
	case R_CTRL:
		if (v & CTRL_MASTER_DISABLE && !m->no_master_end)
			set(m, R_STATUS, get(m, R_STATUS) & ~STATUS_MASTER);
		if (v & CTRL_RST)
			do_reset(m);
		break;
	case R_MDIC:
		do_mdic(m);
		break;
	case R_IMC:
		m->masks++;
		break;
	}
}

static void hook(struct intel *n, uint32_t reg, bool write)
{
	struct intel_model *m = (struct intel_model *)n;

	cr_assert_lt(reg, MODEL_BAR);
	if (get(m, R_STATUS) == UINT32_MAX) { /* gone */
		memset(m->bar, 0xff, MODEL_BAR);
		return;
	}
	if (write) {
		did_write(m, reg);
	} else if (reg >= 0x4000 && reg < 0x4400) {
		set(m, reg, m->counter[(reg - 0x4000) / 4]);
		m->counter[(reg - 0x4000) / 4] = 0;
	}
}

static int arm(struct shunt_queue *q)
{
	(void)q;
	return 0;
}

static void make_region(struct intel_model *m, const struct model_opts *o)
{
	struct shunt_region_opts opts = {.chunk = o->chunk,
		.chunks = m->n.nqueues * (m->n.rx_size + m->n.tx_size) +
			  (o->spare ? o->spare : PCI_CACHE),
		.no_huge = true};

	m->region = o->region;
	if (!m->region)
		cr_assert_eq(shunt_region_create(&m->region, &opts, NULL), 0);
	m->port = (struct pci_port){.info = {.addr = "0000:01:00.0"},
		.nic = &m->nic,
		.iova = MODEL_IOVA,
		.priv = &m->n};
	m->dev.region = m->region;
	if (o->phys)
		m->pages = pages_of(m->region);
	m->port.pages = m->pages.addr;
	m->nic = (struct pci_nic){.name = "model", .arm = arm};
}

struct intel_model *model_new(const struct model_opts *o)
{
	struct intel_model *m = calloc(1, sizeof *m);
	struct intel *n = &m->n;

	m->bar = aligned_alloc(4096, MODEL_BAR);
	memset(m->bar, 0, MODEL_BAR);
	m->bmcr = BMCR_AUTONEG;
	m->dev.priv = &m->port;
	m->dev.dir = o->dir ? o->dir : SHUNT_RXTX;
	m->dev.nqueues = o->nqueues ? o->nqueues : 1;
	n->chip = o->chip;
	n->dev = &m->dev;
	n->bar = m->bar;
	n->addr = "0000:01:00.0";
	n->nqueues = m->dev.nqueues;
	n->promisc = true;
	n->rx = m->dev.dir & SHUNT_RX;
	n->tx = m->dev.dir & SHUNT_TX;
	n->rx_size = n->rx ? o->rx ? o->rx : 64 : 0;
	n->tx_size = n->tx ? o->tx ? o->tx : 64 : 0;
	n->link_ms = 200;
	n->model = hook;
	make_region(m, o);
	m->rings = aligned_alloc(4096, (intel_rings_size(n) + 4095) & ~(size_t)4095);
	memset(m->rings, 0, intel_rings_size(n));
	cr_assert_eq(intel_queues_init(n, &m->port, m->rings, MODEL_RINGS, NULL), 0);
	for (unsigned i = 0; i < n->nqueues; i++) {
		struct intel_queue *iq = &n->queue[i];
		iq->rx.next = iq->rx.tail = iq->tx.next = iq->tx.tail = o->start;
	}
	do_reset(m);
	m->resets = 0;
	return m;
}

void model_start(struct intel_model *m)
{
	struct shunt_err err = {.code = 0};

	cr_assert_eq(m->n.chip->init(&m->n, &err), 0, "%s", err.what);
	cr_assert_eq(intel_go(&m->n, &err), 0, "%s", err.what);
	m->dev.state = SHUNT_STARTED;
}

void model_free(struct intel_model *m)
{
	struct shunt_region_info info;

	intel_queues_done(&m->n);
	shunt_region_info(m->region, &info);
	cr_assert_eq(info.free, info.chunks, "%u of %u chunks came back", info.free, info.chunks);
	shunt_region_destroy(m->region, NULL);
	free(m->pages.addr);
	free(m->bar);
	free(m->rings);
	free(m);
}

/* A ring as its registers have it. */
static struct intel_desc *ring(struct intel_model *m, uint32_t block, uint32_t *size)
{
	uint64_t at = get(m, block + Q_BAL) | (uint64_t)get(m, block + Q_BAH) << 32;

	*size = get(m, block + Q_LEN) / (uint32_t)sizeof(struct intel_desc);
	cr_assert_eq(at % 128, 0, "a ring at %#llx", (unsigned long long)at);
	cr_assert_geq(at, MODEL_RINGS);
	cr_assert_leq(at - MODEL_RINGS + get(m, block + Q_LEN), intel_rings_size(&m->n));
	return (struct intel_desc *)(m->rings + (at - MODEL_RINGS));
}

/* Bytes that the device may touch: all of them in one chunk of the region. */
static uint8_t *buffer(struct intel_model *m, uint64_t addr, uint32_t len)
{
	const struct shunt_region_info *info = &m->region->info;
	uint64_t offset = m->pages.n ? pages_find(&m->pages, addr) : addr - m->port.iova;

	cr_assert_lt(offset, info->len, "%#llx is not in the region", (unsigned long long)addr);
	cr_assert_leq(offset % info->chunk + len, info->chunk, "%u bytes at %llu of a chunk", len,
		(unsigned long long)(offset % info->chunk));
	return (uint8_t *)info->base + offset;
}

/* What the chip was told that a buffer has. */
static uint32_t buffer_size(struct intel_model *m, uint32_t block)
{
	return is_igb(m) ? (get(m, block + Q_SRRCTL) & 0x7f) << 10
			 : 2048u >> (get(m, R_RCTL) >> 16 & 3);
}

static void count(struct intel_model *m, uint32_t reg)
{
	m->counter[(reg - 0x4000) / 4]++;
}

bool model_write_back(struct intel_model *m, unsigned queue, uint64_t addr, uint64_t word)
{
	uint32_t block = m->n.chip->rx_regs + queue * m->n.chip->stride, size;
	struct intel_desc *d = ring(m, block, &size);
	uint32_t head = get(m, block + Q_HEAD), tail = get(m, block + Q_TAIL);

	cr_assert(get(m, R_RCTL) & RCTL_EN, "receive is off");
	cr_assert(!is_igb(m) || get(m, block + Q_DCTL) & DCTL_ENABLE, "queue %u is off", queue);
	cr_assert_lt(tail, size);
	count(m, R_TPR);
	if (head == tail) {
		m->counter[(R_TPR - 0x4000) / 4]--;
		count(m, R_MPC);
		return false;
	}
	count(m, R_GPRC);
	cr_assert_eq(d[head].word & RXD_DD, 0, "descriptor %u was given with DD set", head);
	buffer(m, d[head].addr, buffer_size(m, block));
	d[head].addr = addr;
	d[head].word = word;
	set(m, block + Q_HEAD, (head + 1) % size);
	return true;
}

bool model_receive(struct intel_model *m, unsigned queue, const void *data, uint32_t len)
{
	uint32_t block = m->n.chip->rx_regs + queue * m->n.chip->stride, size;
	struct intel_desc *d = &ring(m, block, &size)[get(m, block + Q_HEAD)];

	if (get(m, block + Q_HEAD) != get(m, block + Q_TAIL))
		memcpy(buffer(m, d->addr, len), data, len);
	return model_write_back(m, queue, 0, RXD_DD | RXD_EOP | (uint64_t)len << 32);
}

static void send_one(struct intel_model *m, struct intel_desc *d)
{
	uint32_t len = d->word & 0xffff;
	uint64_t want = TXD_EOP | TXD_IFCS | len;
	unsigned i = m->nsent++ % MODEL_SENT;

	if (is_igb(m))
		want |= TXD_ADVANCED | (uint64_t)len << 46;
	cr_assert_eq(d->word & ~TXD_RS, want, "descriptor %#llx, not %#llx",
		(unsigned long long)d->word, (unsigned long long)want);
	m->sent[i].len = len;
	memcpy(m->sent[i].data, buffer(m, d->addr, len), len < 64 ? len : 64);
	m->sent[i].wrote_back = d->word & TXD_RS;
	if (d->word & TXD_RS)
		d->word |= TXD_DD;
	count(m, R_GPTC);
}

unsigned model_transmit(struct intel_model *m, unsigned queue)
{
	uint32_t block = m->n.chip->tx_regs + queue * m->n.chip->stride, size;
	struct intel_desc *d = ring(m, block, &size);
	uint32_t head = get(m, block + Q_HEAD), tail = get(m, block + Q_TAIL);
	unsigned n = 0;

	cr_assert(get(m, R_TCTL) & TCTL_EN, "transmit is off");
	cr_assert_lt(tail, size);
	for (; head != tail; head = (head + 1) % size, n++)
		send_one(m, &d[head]);
	set(m, block + Q_HEAD, head);
	return n;
}
