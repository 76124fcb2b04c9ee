/* SPDX-License-Identifier: BSD-2-Clause
 * Loader of the redirect and drop programs. The program is held by a bpf_link of this process,
 * neither pinned nor attached through libxdp's dispatcher: it is detached when the process ends. A
 * program that is already attached is reported, not replaced. Control calls only, one thread at a
 * time, in the interface's network namespace.
 */
#ifndef XDP_REDIRECT_H
#define XDP_REDIRECT_H

#include <shunt/err.h>
#include <stdbool.h>
#include <stdint.h>

struct shunt_redirect;

enum shunt_xdp_attach { SHUNT_XDP_AUTO, SHUNT_XDP_NATIVE, SHUNT_XDP_SKB };

struct shunt_redirect_opts {
	unsigned ifindex;
	const char *ifname; /* for messages */
	enum shunt_xdp_attach attach;
	bool drop;       /* the drop program instead of redirect */
	uint64_t queues; /* drop: queues whose frames are dropped, bit i = queue i */
};

struct shunt_redirect_counts {
	uint64_t seen;    /* frames that the program ran on */
	uint64_t passed;  /* of these, passed to the stack: no socket for their queue */
	uint64_t dropped; /* of these, dropped; counted by queue */
};

/* Load, attach nothing. -EPERM, -ENOTSUP, ... */
int shunt_redirect_open(
	struct shunt_redirect **r, const struct shunt_redirect_opts *opts, struct shunt_err *err);
/* Set the socket that receives a queue's frames. */
int shunt_redirect_set(struct shunt_redirect *r, uint32_t queue, int xsk, struct shunt_err *err);
/* -EBUSY when a foreign program is attached. */
int shunt_redirect_attach(struct shunt_redirect *r, struct shunt_err *err);
/* No frame reaches the program, or a socket through it, after return. */
void shunt_redirect_detach(struct shunt_redirect *r);
/* Also after detach, and after the interface was removed. */
int shunt_redirect_read(const struct shunt_redirect *r, struct shunt_redirect_counts *counts);
void shunt_redirect_close(struct shunt_redirect *r);

/* The mode that it was attached in. fallback: why native mode failed, "" if it did not. */
bool shunt_redirect_is_skb(const struct shunt_redirect *r);
const char *shunt_redirect_fallback(const struct shunt_redirect *r);

/* Whether this process can load an XDP program at all. */
int shunt_redirect_usable(struct shunt_err *err);

#endif
