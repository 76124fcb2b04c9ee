/* SPDX-License-Identifier: BSD-2-Clause
 * libbpf's messages go to the log callback, domain "libbpf", never to stderr.
 */
#ifndef XDP_LOG_H
#define XDP_LOG_H

/* Before the first call of libbpf; any thread, any number of times. */
void shunt_bpf_log(void);

#endif
