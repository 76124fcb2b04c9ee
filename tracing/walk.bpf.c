// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/* Iterators, which run on request: translate thread ids of a PID namespace to the initial one, and
 * report the addresses and counters of a process's sockets. Reading clears no counter. */
#include "tracing/kernel.h"
#include "tracing/shared.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

__u32 pid_ns; /* inode number of the PID namespace of the ids */
__u32 tgid;   /* for kernels that cannot restrict an iterator to one process: 0 = all */

#define LEVELS    32 /* MAX_PID_NS_LEVEL */
#define S_IFMT    0170000
#define S_IFSOCK  0140000
#define AF_PACKET 17
#define AF_XDP    44

static __always_inline __u32 ns_id(struct pid *pid)
{
	__u32 level = BPF_CORE_READ(pid, level);

	for (__u32 i = 0; i < LEVELS && i <= level; i++) {
		struct upid *u = (void *)pid + bpf_core_field_offset(struct pid, numbers) +
				 i * bpf_core_type_size(struct upid);

		if (BPF_CORE_READ(u, ns, ns.inum) == pid_ns)
			return BPF_CORE_READ(u, nr);
	}
	return 0;
}

SEC("iter/task")
int walk_tasks(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;

	if (!task)
		return 0;
	struct trace_task out = {.tid = task->pid, .ns_tid = ns_id(task->thread_pid)};
	if (out.ns_tid)
		bpf_seq_write(ctx->meta->seq, &out, sizeof out);
	return 0;
}

static __always_inline void look_at_xsk(struct trace_socket *out, struct xdp_sock *xs)
{
	struct net_device *dev = BPF_CORE_READ(xs, dev);

	if (!dev)
		return;
	out->bound = 1;
	out->ifindex = BPF_CORE_READ(dev, ifindex);
	out->queue = BPF_CORE_READ(xs, queue_id);
	out->zero_copy = BPF_CORE_READ(xs, zc);
}

SEC("iter/task_file")
int walk_files(struct bpf_iter__task_file *ctx)
{
	struct file *file = ctx->file;
	struct task_struct *task = ctx->task;
	struct trace_socket out = {.fd = ctx->fd};

	if (!file || !task || (tgid && (__u32)task->tgid != tgid))
		return 0;
	if ((BPF_CORE_READ(file, f_inode, i_mode) & S_IFMT) != S_IFSOCK)
		return 0;
	struct sock *sk = BPF_CORE_READ((struct socket *)file->private_data, sk);
	if (!sk)
		return 0;
	out.sk = (__u64)sk;
	out.family = BPF_CORE_READ(sk, __sk_common.skc_family);
	out.netns = BPF_CORE_READ(sk, __sk_common.skc_net.net, ns.inum);
	if (out.family == AF_PACKET)
		out.tp_packets = BPF_CORE_READ((struct packet_sock *)sk, stats.stats1.tp_packets);
	else if (out.family == AF_XDP)
		look_at_xsk(&out, (struct xdp_sock *)sk);
	bpf_seq_write(ctx->meta->seq, &out, sizeof out);
	return 0;
}
