/* SPDX-License-Identifier: BSD-2-Clause
 * Loader of the redirect and drop programs. The program is held by a bpf_link of this process,
 * never by a pin and never through libxdp's dispatcher: it goes when the process does. A program
 * that is there already is named and left alone. Control calls only, one thread at a time, with the
 * thread inside the interface's network namespace.
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
	bool drop;       /* drop instead of redirecting */
	uint64_t queues; /* drop: the queues that it takes, bit i = queue i */
};

struct shunt_redirect_counts {
	uint64_t seen;    /* frames that the program ran on */
	uint64_t passed;  /* of these, left to the stack: nobody covers their queue */
	uint64_t dropped; /* of these, dropped (drop), counted by queue */
};

/* Load, attach nothing. -EPERM, -ENOTSUP, ... */
int shunt_redirect_open(
	struct shunt_redirect **r, const struct shunt_redirect_opts *opts, struct shunt_err *err);
/* The socket that takes a queue's frames. */
int shunt_redirect_set(struct shunt_redirect *r, uint32_t queue, int xsk, struct shunt_err *err);
/* -EBUSY when a foreign program is attached. */
int shunt_redirect_attach(struct shunt_redirect *r, struct shunt_err *err);
/* No frame reaches the program, or a socket through it, after return. */
void shunt_redirect_detach(struct shunt_redirect *r);
/* Also after detach, and after the interface went. */
int shunt_redirect_read(const struct shunt_redirect *r, struct shunt_redirect_counts *counts);
void shunt_redirect_close(struct shunt_redirect *r);

/* As it was attached. fallback says why native was not had, "" if it was or was not asked for. */
bool shunt_redirect_is_skb(const struct shunt_redirect *r);
const char *shunt_redirect_fallback(const struct shunt_redirect *r);

/* Can this process load an XDP program at all? */
int shunt_redirect_usable(struct shunt_err *err);

#endif
