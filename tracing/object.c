/* SPDX-License-Identifier: BSD-2-Clause
 * Loading and attaching of a BPF object. Maps the .bss section and the slots map, so that reading a
 * program's counters needs no system call.
 */
#include "tracing/object.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Arguments of a tracepoint, without the hidden first one; -1 if this kernel has no such
 * tracepoint. */
static int event_args(const struct btf *btf, const char *event)
{
	char name[128];
	const struct btf_type *t;

	snprintf(name, sizeof name, "btf_trace_%s", event);
	int id = btf__find_by_name_kind(btf, name, BTF_KIND_TYPEDEF);
	if (id < 0)
		return -1;
	t = btf__type_by_id(btf, btf__type_by_id(btf, (__u32)id)->type);
	if (!t || !btf_is_ptr(t))
		return -1;
	t = btf__type_by_id(btf, t->type);
	return t && btf_is_func_proto(t) ? btf_vlen(t) - 1 : -1;
}

/* Arguments of a function; -1 if there is none, such as where it is inlined everywhere. */
static int function_args(const struct btf *btf, const char *function)
{
	int id = btf__find_by_name_kind(btf, function, BTF_KIND_FUNC);

	return id < 0 ? -1 : btf_vlen(btf__type_by_id(btf, btf__type_by_id(btf, (__u32)id)->type));
}

static void check_kernel(struct trace_object *o, const struct btf *btf)
{
	for (unsigned i = 0; i < o->part->nprobes; i++) {
		const struct trace_probe *p = &o->part->probes[i];
		struct trace_loaded_probe *l = &o->probe[i];
		const char *what = p->function ? "function" : "tracepoint";
		const char *name = p->function ? p->function : p->event;
		int args = !btf          ? -1
			   : p->function ? function_args(btf, name)
					 : event_args(btf, name);

		l->able = args >= (int)p->args;
		if (!btf)
			snprintf(l->reason, sizeof l->reason, "the kernel has no BTF");
		else if (args < 0)
			snprintf(l->reason, sizeof l->reason, "this kernel has no %s %s", what,
				name);
		else if (!l->able)
			snprintf(l->reason, sizeof l->reason,
				"this kernel's %s %s lacks an argument", what, name);
	}
}

/* Load the programs whose bit is set. On failure nothing stays loaded. */
static int try_load(struct trace_object *o, unsigned mask)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "shunt_trace");
	size_t size;
	const void *elf = o->part->elf(&size);
	struct bpf_object *obj = bpf_object__open_mem(elf, size, &opts);

	if (!obj)
		return -errno;
	for (unsigned i = 0; i < o->part->nprobes; i++) {
		o->probe[i].prog = bpf_object__find_program_by_name(obj, o->part->probes[i].event);
		bpf_program__set_autoload(o->probe[i].prog, mask >> i & 1);
	}
	struct bpf_map *slots = bpf_object__find_map_by_name(obj, "slots");
	int rc = bpf_map__set_max_entries(slots, (__u32)libbpf_num_possible_cpus());
	if (!rc)
		rc = bpf_object__load(obj);
	if (rc)
		bpf_object__close(obj);
	else
		o->obj = obj;
	return rc;
}

/* If the verifier rejects one program, the whole object fails to load: find out which. */
static int load_able(struct trace_object *o)
{
	unsigned mask = 0;
	int rc;

	for (unsigned i = 0; i < o->part->nprobes; i++)
		mask |= (unsigned)o->probe[i].able << i;
	if (!mask)
		return -ENOTSUP;
	rc = try_load(o, mask);
	if (!rc || rc == -EPERM)
		return rc;
	for (unsigned i = 0; i < o->part->nprobes; i++) {
		if (!(mask >> i & 1))
			continue;
		rc = try_load(o, 1u << i);
		if (!rc) {
			bpf_object__close(o->obj);
			o->obj = NULL;
			continue;
		}
		mask &= ~(1u << i);
		o->probe[i].able = false;
		snprintf(o->probe[i].reason, sizeof o->probe[i].reason,
			"the kernel refused the program (%s)", strerror(-rc));
	}
	return mask ? try_load(o, mask) : rc;
}

static void *map_memory(struct bpf_map *map, size_t stride, size_t *len)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	*len = (stride * bpf_map__max_entries(map) + page - 1) & ~(page - 1);
	return mmap(NULL, *len, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
}

static int map_all(struct trace_object *o)
{
	struct bpf_map *bss = bpf_object__find_map_by_name(o->obj, ".bss");
	struct bpf_map *slots = bpf_object__find_map_by_name(o->obj, "slots");

	if (bpf_map__value_size(bss) < sizeof *o->target ||
		bpf_map__value_size(slots) != o->part->slot_size)
		return -EINVAL;
	o->target = map_memory(bss, bpf_map__value_size(bss), &o->target_len);
	if (o->target == MAP_FAILED) {
		o->target = NULL;
		return -errno;
	}
	o->slots = map_memory(slots, o->part->slot_size, &o->slots_len);
	if (o->slots == MAP_FAILED) {
		o->slots = NULL;
		return -errno;
	}
	return 0;
}

int shunt_trace_load(struct trace_object *o, const struct trace_part *part, const struct btf *btf,
	struct shunt_err *err)
{
	int rc;

	memset(o, 0, sizeof *o);
	o->part = part;
	check_kernel(o, btf);
	rc = load_able(o);
	if (!rc)
		rc = map_all(o);
	if (!rc)
		return 0;
	shunt_trace_unload(o);
	if (rc == -EPERM || rc == -EACCES)
		return shunt_fail(err, -EPERM, "run as root, or with CAP_BPF and CAP_PERFMON",
			"tracing needs permission to load BPF programs");
	return shunt_fail(err, rc, NULL, "loading %s: %s", part->probes[0].name, strerror(-rc));
}

void shunt_trace_unload(struct trace_object *o)
{
	if (!o->obj)
		return;
	shunt_trace_detach(o);
	if (o->target)
		munmap(o->target, o->target_len);
	if (o->slots)
		munmap(o->slots, o->slots_len);
	bpf_object__close(o->obj);
	o->obj = NULL;
	o->target = NULL;
	o->slots = NULL;
}

void shunt_trace_disable(struct trace_object *o, const char *event, const char *reason)
{
	for (unsigned i = 0; i < o->part->nprobes; i++) {
		if (strcmp(o->part->probes[i].event, event))
			continue;
		o->probe[i].able = false;
		snprintf(o->probe[i].reason, sizeof o->probe[i].reason, "%s", reason);
	}
}

void shunt_trace_clear(struct trace_object *o)
{
	memset(o->slots, 0, o->slots_len);
}

static uint64_t recursion_misses(const struct bpf_program *prog)
{
	struct bpf_prog_info info = {0};
	__u32 len = sizeof info;

	return bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &len) ? 0
									  : info.recursion_misses;
}

void shunt_trace_attach(struct trace_object *o)
{
	for (unsigned i = 0; i < o->part->nprobes; i++) {
		struct trace_loaded_probe *p = &o->probe[i];

		p->used = false;
		p->misses = 0;
		if (!p->able || !p->wanted)
			continue;
		p->link = bpf_program__attach(p->prog);
		p->used = p->link;
		if (!p->link)
			snprintf(p->reason, sizeof p->reason,
				"the kernel refused to attach it (%s)", strerror(errno));
		else
			p->misses = recursion_misses(p->prog);
	}
}

void shunt_trace_detach(struct trace_object *o)
{
	for (unsigned i = 0; i < o->part->nprobes; i++) {
		struct trace_loaded_probe *p = &o->probe[i];

		if (!p->link)
			continue;
		p->misses = recursion_misses(p->prog) - p->misses;
		bpf_link__destroy(p->link);
		p->link = NULL;
	}
}

void shunt_trace_enable(struct trace_object *o, bool on)
{
	/* Release: orders the target's contents before the flag; pairs with the programs, which
	 * read the flag first and are attached by a system call. */
	__atomic_store_n(&o->target->enabled, on, __ATOMIC_RELEASE);
}

uint64_t shunt_trace_sum(const struct trace_object *o, size_t offset)
{
	uint64_t sum = 0;

	if (!o->slots)
		return 0;
	for (size_t at = offset; at < (size_t)libbpf_num_possible_cpus() * o->part->slot_size;
		at += o->part->slot_size)
		sum += __atomic_load_n((const uint64_t *)(o->slots + at), __ATOMIC_RELAXED);
	return sum;
}

uint64_t shunt_trace_misses(const struct trace_object *o)
{
	uint64_t sum = 0;

	for (unsigned i = 0; o->obj && i < o->part->nprobes; i++) {
		const struct trace_loaded_probe *p = &o->probe[i];

		sum += p->link ? recursion_misses(p->prog) - p->misses : p->misses;
	}
	return sum;
}
