/* SPDX-License-Identifier: BSD-2-Clause
 * The live-frame generator's program, and the memory that it shares with user space: slots that
 * hold frames, chained by index, and one struct that says how to send them and how far it got.
 * One thread at a time; the program runs inside that thread's system call, so nothing is
 * concurrent and no barrier is needed.
 */
#ifndef XDP_XDPGEN_H
#define XDP_XDPGEN_H

#include <linux/types.h>

#define XDPGEN_SLOT  2048u               /* bytes */
#define XDPGEN_FRAME (XDPGEN_SLOT - 16u) /* longest frame */
#define XDPGEN_MIN   14u                 /* shortest: the kernel takes no less */
#define XDPGEN_STAMP 42u                 /* SHUNT_STAMP_AT */

struct xdpgen_slot {
	__u64 due_ns; /* XDPGEN_TIMED: since base_ns */
	__u32 len;
	__u32 next; /* index of the slot that is sent after this one */
	__u8 data[XDPGEN_FRAME];
};

enum xdpgen_pace { XDPGEN_MAX, XDPGEN_PACED, XDPGEN_TIMED };

struct xdpgen_run {
	/* Written by user space before a run. */
	__u32 pace;
	__u32 stamp;
	__u32 clock_mask; /* XDPGEN_MAX: the clock is read when !(sent & mask) */
	__u32 step_frac;  /* XDPGEN_PACED: between deadlines, ns and 2^-32 ns */
	__u64 step_ns;
	/* Written by both: user space sets them, the program moves them on. */
	__u32 at;       /* slot to send next */
	__u32 due_frac; /* 2^-32 ns */
	__u64 due_ns;   /* XDPGEN_PACED: next deadline; 0 = now, and base_ns with it */
	__u64 base_ns;  /* first frame's deadline; 0 = not sent yet */
	/* Written by the program. */
	__u64 now_ns; /* clock at the last frame that read it */
	__u64 sent, bytes;
	__u64 max_late_ns;
	__u64 gone;    /* frames for which there was no interface any more */
	__u64 refused; /* frames that a helper refused: a bug */
};

#ifndef __bpf__
#include <shunt/err.h>

struct shunt_xdpgen {
	struct xdpgen_run *run;
	struct xdpgen_slot *slots;
	__u32 nslots;
	int prog_fd;
	char note[160]; /* why a call is dear; "" when it is not */
	/* private */
	struct xdpgen_bpf *skel;
	struct bpf_link *spare;
	int spare_ns;
};

/* Can this kernel, and may this process? -ENOTSUP, -EPERM. */
int shunt_xdpgen_usable(struct shunt_err *err);
/* Load, map nslots slots, and make calls cheap by a spare veth where that is possible. */
int shunt_xdpgen_open(struct shunt_xdpgen *gen, __u32 nslots, struct shunt_err *err);
/* Frames go out of this interface of the thread's namespace; from then on the thread may be in
 * any. Refused with -EOPNOTSUPP by drivers that can't send XDP frames. */
int shunt_xdpgen_aim(struct shunt_xdpgen *gen, __u32 ifindex, struct shunt_err *err);
/* One system call: frames slots from run->at on, none longer than longest. 0, -EINTR when a signal
 * came, or -errno; run->sent tells how many were sent in any case. */
int shunt_xdpgen_call(struct shunt_xdpgen *gen, __u32 frames, __u32 batch, __u32 longest);
void shunt_xdpgen_close(struct shunt_xdpgen *gen);
#endif

#endif
