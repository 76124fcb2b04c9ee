/* SPDX-License-Identifier: BSD-2-Clause
 * Registers. Device memory is uncached and strongly ordered among itself; what has to be ordered by
 * hand is ordinary memory (rings, buffers) against it. PCI is little-endian.
 * On x86 stores are not reordered with stores, nor loads with loads, so wmb and rmb stop the
 * compiler only, as the kernel's dma_wmb() and dma_rmb() do; elsewhere they are fences.
 */
#ifndef DRIVERS_PCI_MMIO_H
#define DRIVERS_PCI_MMIO_H

#include <endian.h>
#include <stdint.h>

static inline uint8_t mmio_read8(const volatile void *at)
{
	return *(const volatile uint8_t *)at;
}

static inline uint16_t mmio_read16(const volatile void *at)
{
	return le16toh(*(const volatile uint16_t *)at);
}

static inline uint32_t mmio_read32(const volatile void *at)
{
	return le32toh(*(const volatile uint32_t *)at);
}

static inline void mmio_write8(volatile void *at, uint8_t value)
{
	*(volatile uint8_t *)at = value;
}

static inline void mmio_write16(volatile void *at, uint16_t value)
{
	*(volatile uint16_t *)at = htole16(value);
}

static inline void mmio_write32(volatile void *at, uint32_t value)
{
	*(volatile uint32_t *)at = htole32(value);
}

/* Release: orders what was written to memory (descriptors, buffers) before a doorbell or an index
 * that is written next; pairs with the device, which reads them after it saw the doorbell. */
static inline void mmio_wmb(void)
{
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

/* Acquire: orders the read of a descriptor's done bit, or of an index, before the reads of what the
 * device wrote ahead of it; pairs with the device's order of writes. */
static inline void mmio_rmb(void)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
}

/* Full: orders a store to memory before a load of memory that the device writes (the index that is
 * published, then the flag that says whether it wants a doorbell). As the kernel's mb(): mfence,
 * for every type of memory, and not only the cached one that processors share. */
static inline void mmio_mb(void)
{
	__builtin_ia32_mfence();
}

/* The same against a device that is a program on another processor, as the kernel's smp_mb(). */
static inline void mmio_smp_mb(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

#endif
