/* SPDX-License-Identifier: BSD-2-Clause
 * USDT probes, one per burst: shunt:rx_burst(queue, packets) and shunt:tx_burst(queue, packets).
 * A nop in the instruction stream until a tracer arms it; nothing where sys/sdt.h is absent.
 */
#ifndef DRIVERS_CORE_PROBE_H
#define DRIVERS_CORE_PROBE_H

#ifdef HAVE_SDT
#include <sys/sdt.h>
#define SHUNT_PROBE_RX(q, n) DTRACE_PROBE2(shunt, rx_burst, q, n)
#define SHUNT_PROBE_TX(q, n) DTRACE_PROBE2(shunt, tx_burst, q, n)
#else
#define SHUNT_PROBE_RX(q, n) ((void)(q), (void)(n))
#define SHUNT_PROBE_TX(q, n) ((void)(q), (void)(n))
#endif

#endif
