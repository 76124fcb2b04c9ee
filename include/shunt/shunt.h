/* SPDX-License-Identifier: BSD-2-Clause
 * Everything. Reading order: err, pkt, mem, queue, dev, stats, flood, trace, log.
 */
#ifndef SHUNT_SHUNT_H
#define SHUNT_SHUNT_H

#include <shunt/dev.h>
#include <shunt/err.h>
#include <shunt/flood.h>
#include <shunt/log.h>
#include <shunt/mem.h>
#include <shunt/pkt.h>
#include <shunt/queue.h>
#include <shunt/stats.h>
#include <shunt/trace.h>
#include <shunt/version.h>

#endif
