/* SPDX-License-Identifier: BSD-2-Clause
 * The lab inside this process: namespaces held by descriptors only.
 */
#include "bench/lab/lab.h"

#include "core/link.h"
#include "core/netns.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const uint8_t bench_near_mac[6] = {2, 0, 0, 0, 0, 1};
const uint8_t bench_far_mac[6] = {2, 0, 0, 0, 0, 2};
const uint8_t bench_other_mac[6] = {2, 0, 0, 0, 0, 3};

/* Moves the thread into a new, empty namespace; returns its descriptor. */
static int fresh_ns(struct shunt_err *err)
{
	if (unshare(CLONE_NEWNET))
		return shunt_fail(err, -errno, "run as root: it needs CAP_SYS_ADMIN",
			"cannot make a network namespace: %s", strerror(errno));
	int fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	return fd < 0 ? shunt_fail(
				err, -errno, NULL, "cannot open a namespace: %s", strerror(errno))
		      : fd;
}

/* No router solicitations, no neighbour discovery: only the run's own frames. A kernel without IPv6
 * has no such file. */
static void no_ipv6(void)
{
	static const char *const at[] = {"/proc/sys/net/ipv6/conf/all/disable_ipv6",
		"/proc/sys/net/ipv6/conf/default/disable_ipv6"};

	for (unsigned i = 0; i < 2; i++) {
		int fd = open(at[i], O_WRONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (write(fd, "1", 1) < 0)
			(void)0; /* the run would count such frames as strays */
		close(fd);
	}
}

static int set_up_end(const char *name, bool merge, struct shunt_err *err)
{
	int rc = shunt_link_set_up("lo", true, err);

	if (!rc)
		rc = shunt_link_set_up(name, true, err);
	/* GRO keeps the receiving end's NAPI enabled without an XDP program. Maximum size 1:
	 * nothing is merged. It must be enabled while the link is up, or veth does not announce to
	 * its peer that it accepts redirected frames (veth_set_features). */
	return rc ? rc : shunt_link_set_gro(name, true, merge ? 65536 : 1, err);
}

static int build(struct bench_lab *lab, const struct bench_lab_opts *opts, struct shunt_err *err)
{
	struct shunt_veth veth = {
		.name = BENCH_NEAR, .peer = BENCH_FAR, .mtu = BENCH_MTU, .queues = opts->queues};

	memcpy(veth.mac, bench_near_mac, 6);
	memcpy(veth.peer_mac, bench_far_mac, 6);
	lab->far_ns = fresh_ns(err);
	if (lab->far_ns < 0)
		return lab->far_ns;
	no_ipv6();
	lab->near_ns = fresh_ns(err);
	if (lab->near_ns < 0)
		return lab->near_ns;
	no_ipv6();
	veth.peer_ns = lab->far_ns;
	int rc = shunt_veth_create(&veth, err);
	if (!rc)
		rc = set_up_end(BENCH_NEAR, opts->merge, err);
	lab->near_ifindex = if_nametoindex(BENCH_NEAR);
	if (!rc && setns(lab->far_ns, CLONE_NEWNET))
		rc = shunt_fail(
			err, -errno, NULL, "cannot enter the far namespace: %s", strerror(errno));
	if (!rc)
		rc = set_up_end(BENCH_FAR, opts->merge, err);
	lab->far_ifindex = if_nametoindex(BENCH_FAR);
	return rc;
}

int bench_lab_open(struct bench_lab *lab, const struct bench_lab_opts *opts, struct shunt_err *err)
{
	static const struct bench_lab_opts none;
	int home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);

	*lab = (struct bench_lab){.near_ns = -1, .far_ns = -1};
	if (home < 0)
		return shunt_fail(err, -errno, "mount /proc",
			"cannot open this thread's namespace: %s", strerror(errno));
	int rc = build(lab, opts ? opts : &none, err);
	if (setns(home, CLONE_NEWNET) && !rc && errno)
		rc = shunt_fail(
			err, -errno, NULL, "cannot return to this namespace: %s", strerror(errno));
	close(home);
	if (rc) {
		bench_lab_close(lab);
		return rc;
	}
	snprintf(lab->near_path, sizeof lab->near_path, "/proc/self/fd/%d", lab->near_ns);
	snprintf(lab->far_path, sizeof lab->far_path, "/proc/self/fd/%d", lab->far_ns);
	return 0;
}

void bench_lab_close(struct bench_lab *lab)
{
	if (lab->near_ns >= 0)
		close(lab->near_ns);
	if (lab->far_ns >= 0)
		close(lab->far_ns);
	lab->near_ns = lab->far_ns = -1;
}
