/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/net.h"

#include "core/ifreq.h"
#include "core/link.h"
#include "core/link_xdp.h"
#include "core/netns.h"

#include <errno.h>
#include <net/if.h>
#include <pthread.h>

Test(lab, both_ends_are_up_and_apart)
{
	NEED_LAB(lab);
	cr_assert_eq(if_nametoindex(BENCH_NEAR), 0u);
	int back = shunt_netns_enter(lab.near_ns);
	cr_assert_geq(back, 0);
	cr_assert_eq(if_nametoindex(BENCH_NEAR), lab.near_ifindex);
	cr_assert_eq(if_nametoindex(BENCH_FAR), 0u);
	cr_assert(shunt_if_flags(lab.near_ifindex) & IFF_UP);
	cr_assert_eq(shunt_netns_leave(back), 0);
	cr_assert_neq(shunt_netns_inode(lab.near_ns), shunt_netns_inode(lab.far_ns));
	bench_lab_close(&lab);
}

static void *nothing(void *arg)
{
	return arg;
}

Test(lab, runs_a_command_and_passes_its_status_on)
{
	NEED_LAB(probe);
	bench_lab_close(&probe);
	struct shunt_err err;
	char *argv[] = {"/bin/sh", "-c", "test -e /sys/class/net/near0 && exit 7", NULL};
	struct bench_lab_opts opts = {.queues = 1};
	cr_assert_eq(bench_lab_run(argv, &opts, &err), 7);
	/* The caller is as before: it can start threads, and a second lab. */
	pthread_t thread;
	cr_assert_eq(pthread_create(&thread, NULL, nothing, NULL), 0);
	pthread_join(thread, NULL);
	cr_assert_eq(bench_lab_run(argv, &opts, &err), 7);
}

/* Each end accepts redirected frames, which needs NAPI at the other. */
Test(lab, both_ends_take_xdp_frames)
{
	NEED_LAB(lab);
	uint64_t near, far;
	int back = shunt_netns_enter(lab.near_ns);
	int rc = shunt_link_xdp_features(lab.near_ifindex, &near);
	shunt_netns_leave(back);
	back = shunt_netns_enter(lab.far_ns);
	shunt_link_xdp_features(lab.far_ifindex, &far);
	shunt_netns_leave(back);
	bench_lab_close(&lab);
	if (rc == -ENOTSUP)
		cr_skip_test("needs Linux 6.3: this kernel does not report XDP features");
	cr_assert_eq(rc, 0);
	cr_assert(near & SHUNT_XDP_NDO_XMIT);
	cr_assert(far & SHUNT_XDP_NDO_XMIT);
}
