/* SPDX-License-Identifier: BSD-2-Clause
 * libbpf's messages go to the library's log, domain "libbpf". Only where libbpf was found.
 */
#ifndef CORE_BPF_LOG_H
#define CORE_BPF_LOG_H

/* libbpf has one print callback per process. Calling this again has no effect: call it before each
 * use of libbpf. */
void shunt_bpf_log_bridge(void);

#endif
