/* SPDX-License-Identifier: BSD-2-Clause
 * virtio over PCI against a device's common configuration in plain memory (virtio 1.2, 4.1.4.3):
 * the steps of 3.1.1 in order, features that are required, a device that sticks in reset, is gone,
 * refuses, or says what can't be; the control queue with a device that never answers, or wrongly.
 */
#include "core/clock.h"
#include "drivers/virtio/virtio.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	FEATURE_SELECT = 0x00,
	FEATURE = 0x04,
	NUM_QUEUES = 0x12,
	STATUS = 0x14,
	QUEUE_SIZE = 0x18,
	QUEUE_VECTOR = 0x1a,
	QUEUE_NOTIFY = 0x1e,
};

/* One at a time: Criterion runs each test in its own process, or one after the other. */
static struct {
	uint8_t common[64], notify[64], device[64];
	uint8_t steps[16]; /* what was written to the status */
	unsigned nsteps;
	uint64_t offered;
	bool gone, stuck_reset, refuses, no_vectors;
} m;

static void put16(unsigned at, uint16_t value)
{
	memcpy(m.common + at, &value, sizeof value);
}

static void wrote_status(void)
{
	if (m.nsteps < sizeof m.steps)
		m.steps[m.nsteps++] = m.common[STATUS];
	if (m.refuses)
		m.common[STATUS] &= (uint8_t)~VIRTIO_FEATURES_OK;
	if (m.stuck_reset && !m.common[STATUS])
		m.common[STATUS] = VIRTIO_DRIVER_OK;
}

static void model(const struct virtio_pci *v, uint32_t at, bool write)
{
	(void)v;
	if (m.gone) {
		memset(m.common, 0xff, sizeof m.common);
	} else if (write && at == STATUS) {
		wrote_status();
	} else if (write && at == FEATURE_SELECT) {
		uint32_t half = (uint32_t)(m.offered >> (m.common[FEATURE_SELECT] ? 32 : 0));
		memcpy(m.common + FEATURE, &half, sizeof half);
	} else if (write && at == QUEUE_VECTOR && m.no_vectors) {
		put16(QUEUE_VECTOR, VIRTIO_NO_VECTOR);
	}
}

static struct virtio_pci device_new(void)
{
	static struct pci_dev pci = {.info = {.addr = "0000:01:00.0"}};

	memset(&m, 0, sizeof m);
	m.offered = VIRTIO_F_VERSION_1 | VIRTIO_F_ACCESS_PLATFORM | VIRTIO_NET_F_MAC |
		    VIRTIO_F_EVENT_IDX | VIRTIO_F_RING_PACKED;
	put16(NUM_QUEUES, 3);
	put16(QUEUE_SIZE, 256);
	return (struct virtio_pci){.pci = &pci,
		.common = m.common,
		.notify = m.notify,
		.device = m.device,
		.notify_len = sizeof m.notify,
		.device_len = sizeof m.device,
		.multiplier = 4,
		.model = model};
}

Test(virtio_init, steps_in_order)
{
	struct virtio_pci v = device_new();

	cr_assert_eq(virtio_pci_reset(&v, NULL), 0);
	cr_assert_eq(virtio_pci_negotiate(
			     &v, VIRTIO_NET_F_MAC | VIRTIO_NET_F_MTU | VIRTIO_F_EVENT_IDX, NULL),
		0);
	virtio_pci_driver_ok(&v);
	static const uint8_t want[] = {0, 1, 3, 0xb, 0xf};
	cr_assert_eq(m.nsteps, sizeof want);
	cr_assert_arr_eq(m.steps, want, sizeof want);
	cr_assert_eq(v.features,
		VIRTIO_F_VERSION_1 | VIRTIO_F_ACCESS_PLATFORM | VIRTIO_NET_F_MAC |
			VIRTIO_F_EVENT_IDX,
		"what was asked for, is offered, or is required: %#llx",
		(unsigned long long)v.features);
}

static void refused(struct virtio_pci *v, int code, const char *word)
{
	struct shunt_err err = {.code = 0};

	cr_assert_eq(virtio_pci_negotiate(v, VIRTIO_NET_F_MAC, &err), code);
	cr_assert(strstr(err.what, word), "%s", err.what);
	cr_assert_eq(m.common[STATUS] & VIRTIO_FAILED, VIRTIO_FAILED, "3.1.1: it is told");
}

Test(virtio_init, what_is_required)
{
	struct virtio_pci v = device_new();

	m.offered &= ~VIRTIO_F_VERSION_1;
	refused(&v, -ENOTSUP, "VIRTIO_F_VERSION_1");
	v = device_new();
	m.offered &= ~VIRTIO_F_ACCESS_PLATFORM;
	refused(&v, -ENOTSUP, "VIRTIO_F_ACCESS_PLATFORM");
	v = device_new();
	m.refuses = true;
	refused(&v, -ENOTSUP, "refuses the features");
}

/* A reset that never ends is given up after a second; a device that is gone, at once. */
Test(virtio_init, resets_are_bounded)
{
	struct virtio_pci v = device_new();
	struct shunt_err err = {.code = 0};
	uint64_t begin = shunt_now();

	m.stuck_reset = true;
	cr_assert_eq(virtio_pci_reset(&v, &err), -ETIMEDOUT);
	cr_assert(strstr(err.what, "sticks in reset: status 0x4"), "%s", err.what);
	cr_assert_gt(shunt_now() - begin, 900000000u);
	v = device_new();
	m.gone = true;
	begin = shunt_now();
	cr_assert_eq(virtio_pci_reset(&v, &err), -ENODEV);
	cr_assert(strstr(err.what, "is gone"), "%s", err.what);
	cr_assert_lt(shunt_now() - begin, 900000000u);
}

/* Gone in the middle: whatever it reads as ones stays inside of what is mapped. */
Test(virtio_init, queues_of_a_device_that_is_gone)
{
	struct virtio_pci v = device_new();
	struct shunt_err err = {.code = 0};
	volatile uint8_t *bell = NULL;
	uint8_t bytes[8];

	m.gone = true;
	cr_assert_eq(virtio_pci_queue_max(&v, 0), UINT16_MAX, "net.c holds it against VRING_MAX");
	cr_assert_eq(virtio_pci_queue_enable(
			     &v, &(struct virtio_place){.vector = VIRTIO_NO_VECTOR}, &bell, &err),
		-EPROTO);
	cr_assert(strstr(err.what, "doorbell"), "%s", err.what);
	cr_assert_null((const void *)bell);
	cr_assert(virtio_pci_config(&v, 0, bytes, sizeof bytes));
	cr_assert_not(virtio_pci_config(&v, 60, bytes, sizeof bytes), "beyond what it has");
	cr_assert_not(virtio_pci_config(&v, UINT32_MAX, bytes, sizeof bytes));
}

Test(virtio_init, queues_that_are_refused)
{
	struct virtio_pci v = device_new();
	struct virtio_place place = {.queue = 2, .size = 64, .vector = 1};
	struct shunt_err err = {.code = 0};
	volatile uint8_t *bell = NULL;

	cr_assert_eq(virtio_pci_queue_max(&v, 2), 256);
	cr_assert_eq(virtio_pci_queue_max(&v, 3), 0, "there are three");
	put16(QUEUE_NOTIFY, 15);
	cr_assert_eq(virtio_pci_queue_enable(&v, &place, &bell, &err), 0);
	cr_assert_eq((const volatile void *)bell, (const volatile void *)(m.notify + 60));
	put16(QUEUE_NOTIFY, 16);
	cr_assert_eq(virtio_pci_queue_enable(&v, &place, &bell, &err), -EPROTO);
	m.no_vectors = true;
	cr_assert_eq(virtio_pci_queue_enable(&v, &place, &bell, &err), -ENOSPC);
	cr_assert(strstr(err.what, "vector 1"), "%s", err.what);
}

/* A control queue in memory. What its device did is there before the command is given. */
static struct virtio_net *net_new(bool packed)
{
	struct virtio_net *net = calloc(1, sizeof *net);
	static uint16_t bell;

	net->v = device_new();
	net->packed = packed;
	net->ctrl_mem.base = calloc(1, 4096);
	net->ctrl.mem.base =
		aligned_alloc(64, packed ? packed_layout(64).bytes : split_layout(64).bytes);
	net->ctrl.doorbell = (volatile uint8_t *)&bell;
	cr_assert_eq(virtio_ring_init(&net->ctrl, net, 64), 0);
	return net;
}

static void net_free(struct virtio_net *net)
{
	vring_free(&net->ctrl.vring);
	free(net->ctrl.mem.base);
	free(net->ctrl_mem.base);
	free(net);
}

static void command_fails(struct virtio_net *net, int code)
{
	struct shunt_err err = {.code = 0};

	cr_assert_eq(virtio_control_pairs(net, 2, &err), code, "%d", err.code);
	cr_assert(strstr(err.what, "does not switch 2 queue pairs on"), "%s", err.what);
	net_free(net);
}

Test(virtio_init, a_control_queue_without_answer)
{
	command_fails(net_new(false), -ETIMEDOUT);
	command_fails(net_new(true), -ETIMEDOUT);
}

Test(virtio_init, a_control_queue_with_a_bad_index)
{
	struct virtio_net *net = net_new(false);

	net->ctrl.vring.used->idx = 2; /* of one command */
	command_fails(net, -EPROTO);
	net = net_new(false);
	net->ctrl.vring.used->idx = 1; /* used, and its answer is not there */
	command_fails(net, -EIO);
}
