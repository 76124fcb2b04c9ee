/* SPDX-License-Identifier: BSD-2-Clause
 * Copies around XDP: into AF_XDP sockets, and those that a device or generic mode makes of a frame
 * before the program runs.
 */
#include "tracing/private.h"

#include "xdp.skel.h"

#include <stdio.h>

const struct trace_part shunt_part_xdp = {
	.what = SHUNT_TRACE_COPIES,
	.elf = xdp_bpf__elf_bytes,
	.slot_size = sizeof(struct xdp_slot),
	.nprobes = 4,
	.probes = {TRACE_POINT(xdp_slot, redirects, "xdp_redirect",
			   "packets into AF_XDP sockets, one copy each unless zero-copy", 7,
			   TRACE_KIND(XSK)),
		TRACE_POINT(xdp_slot, refused, "xdp_redirect_err",
			"packets that AF_XDP sockets refused", 7, TRACE_KIND(XSK)),
		TRACE_POINT(xdp_slot, cow, "consume_skb",
			"frames copied by skb_pp_cow_data before an XDP program ran", 2,
			TRACE_KIND(XSK) | TRACE_KIND(XDP)),
		TRACE_POINT(xdp_slot, generic, "netif_receive_skb",
			"frames for generic XDP, and whether their headroom is short", 1,
			TRACE_KIND(XSK) | TRACE_KIND(XDP), true)},
};

#define SUM(field) TRACE_SUM(&t->objects[PART_XDP], xdp_slot, field)

struct trace_copies shunt_trace_xsk_copies(const struct shunt_tracer *t)
{
	struct trace_count point = {shunt_trace_why_not(t, PART_XDP, "xdp_redirect"),
		SUM(redirects) - SUM(zero_copy), SUM(bytes), "tp_btf/xdp_redirect"};
	struct trace_count function = shunt_trace_function_copies(t, SHUNT_KIND_XSK);
	struct trace_count in = shunt_trace_choose(&point, &function);
	struct trace_count out = shunt_trace_function_sends(t);
	uint64_t unread = SUM(unread);
	char source[sizeof((struct shunt_metric *)NULL)->source];

	if (in.why)
		return shunt_trace_unavailable(in.why);
	snprintf(source, sizeof source, "%.64s%s%.24s", in.source, out.why ? "" : ", ",
		out.why ? "" : out.source);
	struct trace_copies c = shunt_trace_measured(in.copies + (out.why ? 0 : out.copies),
		in.bytes + (out.why ? 0 : out.bytes), source);
	if (!unread)
		return c;
	c.bytes.bound = SHUNT_LOWER;
	snprintf(c.bytes.reason, sizeof c.bytes.reason, "%llu descriptors could not be read",
		(unsigned long long)unread);
	return c;
}

/* Whether an XDP program is traced in this mode. */
static bool has_mode(const struct shunt_tracer *t, bool skb_mode)
{
	for (unsigned i = 0; i < t->target.nqueues; i++)
		if (t->ids[i].skb_mode == skb_mode &&
			(t->ids[i].kind == SHUNT_KIND_XSK || t->ids[i].kind == SHUNT_KIND_XDP))
			return true;
	return false;
}

/* Copies without a probe, by the kernel's rule: for programs without frags, and for all programs
 * where generic mode does not use skb_pp_cow_data (before 6.9) or that one cannot be probed. */
static struct trace_copies by_rule(const struct shunt_tracer *t, bool all)
{
	static const char source[] =
		"tp_btf/netif_receive_skb: headroom, clones; consume_skb at skb_pp_cow_data";
	uint64_t copies = all ? SUM(cow_expected) : SUM(cow);
	uint64_t bytes = all ? SUM(cow_expected_bytes) : SUM(cow_bytes);

	return (struct trace_copies){
		shunt_derived((double)(copies + SUM(expanded)), "copies", source),
		shunt_derived((double)(bytes + SUM(expanded_bytes)), "bytes", source)};
}

struct trace_copies shunt_trace_hidden_copies(const struct shunt_tracer *t)
{
	const char *no_cow = shunt_trace_why_not(t, PART_XDP, "consume_skb");
	const char *no_rule = shunt_trace_why_not(t, PART_XDP, "netif_receive_skb");
	bool generic = has_mode(t, true), unseen = no_cow || SUM(cow) < SUM(cow_expected);
	struct trace_copies c;

	if (no_cow && (no_rule || !generic))
		return shunt_trace_unavailable(no_cow);
	if (generic && !no_rule && (unseen || SUM(generic_plain)))
		c = by_rule(t, unseen);
	else
		c = shunt_trace_measured(
			SUM(cow), SUM(cow_bytes), "tp_btf/consume_skb at skb_pp_cow_data");
	if (has_mode(t, false) && no_cow)
		shunt_trace_lower(&c, "skb_pp_cow_data of native mode not counted", no_cow);
	else if (generic && no_rule)
		shunt_trace_lower(&c, "headroom copy of generic mode not counted", no_rule);
	return c;
}

struct shunt_metric shunt_trace_wasted_copies(const struct shunt_tracer *t)
{
	const char *why = shunt_trace_why_not(t, PART_XDP, "xdp_redirect_err");

	if (!shunt_trace_has(t, SHUNT_KIND_XSK))
		why = "no AF_XDP socket: other queues refuse packets before the copy";
	return why ? shunt_unavailable("copies", "%s", why)
		   : shunt_measured((double)SUM(refused_full), "copies",
			     "tp_btf/xdp_redirect_err with ENOBUFS");
}
