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

void shunt_trace_xsk_copies(
	const struct shunt_tracer *t, struct shunt_metric *copies, struct shunt_metric *bytes)
{
	struct trace_count point = {shunt_trace_why_not(t, PART_XDP, "xdp_redirect"),
		SUM(redirects) - SUM(zero_copy), SUM(bytes), "tp_btf/xdp_redirect"};
	struct trace_count function = shunt_trace_function_copies(t, SHUNT_KIND_XSK);
	struct trace_count in = shunt_trace_choose(&point, &function);
	struct trace_count out = shunt_trace_function_sends(t);
	uint64_t unread = SUM(unread);
	char source[sizeof copies->source];

	if (in.why) {
		*copies = shunt_unavailable("copies", "%s", in.why);
		*bytes = shunt_unavailable("bytes", "%s", in.why);
		return;
	}
	snprintf(source, sizeof source, "%.64s%s%.24s", in.source, out.why ? "" : ", ",
		out.why ? "" : out.source);
	*copies =
		shunt_measured((double)(in.copies + (out.why ? 0 : out.copies)), "copies", source);
	*bytes = shunt_measured((double)(in.bytes + (out.why ? 0 : out.bytes)), "bytes", source);
	if (!unread)
		return;
	bytes->bound = SHUNT_LOWER;
	snprintf(bytes->reason, sizeof bytes->reason, "%llu descriptors could not be read",
		(unsigned long long)unread);
}

static void lower(
	struct shunt_metric *copies, struct shunt_metric *bytes, const char *what, const char *why)
{
	copies->bound = bytes->bound = SHUNT_LOWER;
	snprintf(copies->reason, sizeof copies->reason, "%.60s: %.90s", what, why);
	snprintf(bytes->reason, sizeof bytes->reason, "%s", copies->reason);
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
static void by_rule(const struct shunt_tracer *t, bool all, struct shunt_metric *copies,
	struct shunt_metric *bytes)
{
	static const char source[] =
		"tp_btf/netif_receive_skb: headroom, clones; consume_skb at skb_pp_cow_data";
	uint64_t seen = SUM(cow), len = SUM(cow_bytes);

	if (all) {
		seen = SUM(cow_expected);
		len = SUM(cow_expected_bytes);
	}
	*copies = shunt_derived((double)(seen + SUM(expanded)), "copies", source);
	*bytes = shunt_derived((double)(len + SUM(expanded_bytes)), "bytes", source);
}

void shunt_trace_hidden_copies(
	const struct shunt_tracer *t, struct shunt_metric *copies, struct shunt_metric *bytes)
{
	static const char source[] = "tp_btf/consume_skb at skb_pp_cow_data";
	const char *no_cow = shunt_trace_why_not(t, PART_XDP, "consume_skb");
	const char *no_rule = shunt_trace_why_not(t, PART_XDP, "netif_receive_skb");
	bool generic = has_mode(t, true), unseen = no_cow || SUM(cow) < SUM(cow_expected);

	if (no_cow && (no_rule || !generic)) {
		*copies = shunt_unavailable("copies", "%s", no_cow);
		*bytes = shunt_unavailable("bytes", "%s", no_cow);
		return;
	}
	if (generic && !no_rule && (unseen || SUM(generic_plain))) {
		by_rule(t, unseen, copies, bytes);
	} else {
		*copies = shunt_measured((double)SUM(cow), "copies", source);
		*bytes = shunt_measured((double)SUM(cow_bytes), "bytes", source);
	}
	if (has_mode(t, false) && no_cow)
		lower(copies, bytes, "skb_pp_cow_data of native mode not counted", no_cow);
	else if (generic && no_rule)
		lower(copies, bytes, "headroom copy of generic mode not counted", no_rule);
}

void shunt_trace_wasted_copies(const struct shunt_tracer *t, struct shunt_metric *copies)
{
	const char *why = shunt_trace_why_not(t, PART_XDP, "xdp_redirect_err");

	if (!shunt_trace_has(t, SHUNT_KIND_XSK))
		*copies = shunt_unavailable(
			"copies", "no AF_XDP socket: other queues refuse packets before the copy");
	else if (why)
		*copies = shunt_unavailable("copies", "%s", why);
	else
		*copies = shunt_measured((double)SUM(refused_full), "copies",
			"tp_btf/xdp_redirect_err with ENOBUFS");
}
