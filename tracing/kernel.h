/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
 * The kernel structures that the probes read, by CO-RE: only the members used, relocated by name
 * with the running kernel's BTF. Checked against Linux 6.18; every member here has had the same
 * name and meaning since 6.1. Included by BPF programs only.
 */
#ifndef TRACING_KERNEL_H
#define TRACING_KERNEL_H

#include <linux/types.h>
#include <stdbool.h>

/* linux/bpf.h after the types: the helpers need both. */
#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* Tasks and files. */
struct ns_common {
	unsigned int inum;
};

struct pid_namespace {
	struct ns_common ns;
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	unsigned int level;
	struct upid numbers[1];
};

struct task_struct {
	int pid, tgid;
	struct pid *thread_pid;
};

struct inode {
	unsigned short i_mode;
};

struct file {
	struct inode *f_inode;
	void *private_data;
};

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

struct bpf_iter__task_file {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
	__u32 fd;
	struct file *file;
};

/* As far as sys_exit needs it. */
struct pt_regs {
	unsigned long orig_ax;
};

/* Devices and packets. */
struct net {
	struct ns_common ns;
};

typedef struct {
	struct net *net;
} possible_net_t;

struct bpf_prog_aux {
	bool xdp_has_frags; /* 5.18 */
};

struct bpf_prog {
	struct bpf_prog_aux *aux;
};

struct net_device {
	int ifindex;
	possible_net_t nd_net;
	struct bpf_prog *xdp_prog; /* generic mode's */
};

struct napi_struct {
	struct net_device *dev;
};

typedef struct {
	int counter;
} atomic_t;

struct skb_shared_info {
	atomic_t dataref;
};

struct sk_buff {
	struct net_device *dev;
	struct sock *sk;
	unsigned int len, data_len;
	__u8 cloned : 1;
	__u16 mac_header;
	unsigned int end; /* an offset from head on 64-bit machines */
	unsigned char *head, *data;
};

/* Sockets. */
struct sock_common {
	unsigned short skc_family;
	possible_net_t skc_net;
};

struct sock {
	struct sock_common __sk_common;
};

struct socket {
	struct sock *sk;
};

struct packet_type {
	void *af_packet_priv; /* AF_PACKET's: its socket */
};

struct tpacket_stats {
	unsigned int tp_packets;
};

union tpacket_stats_u {
	struct tpacket_stats stats1;
};

struct packet_sock {
	union tpacket_stats_u stats;
};

struct xdp_desc {
	__u64 addr;
	__u32 len, options;
};

struct xdp_ring {
	__u32 producer;
};

struct xdp_rxtx_ring {
	struct xdp_ring ptrs;
	struct xdp_desc desc[0];
};

struct xsk_queue {
	__u32 ring_mask, cached_prod;
	struct xdp_ring *ring;
};

struct xdp_sock {
	struct xsk_queue *rx;
	struct net_device *dev;
	__u16 queue_id;
	bool zc;
};

#pragma clang attribute pop

#endif
