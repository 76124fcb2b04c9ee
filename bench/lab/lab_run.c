/* SPDX-License-Identifier: BSD-2-Clause
 * A command in a lab. init, process 1 of a PID namespace, holds the lab. It is killed when its
 * parent dies; the kernel then kills all processes of the PID namespace, and with the last of them
 * the network namespaces and the veth pair disappear.
 */
#include "bench/lab/lab.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAR_ENV "SHUNT_LAB_FAR" /* path of the far namespace, inside the lab */

static int status_of(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* /proc of the PID namespace and /sys of the network namespace, mounted in the lab only. */
static int own_mounts(struct shunt_err *err)
{
	/* Only a mount point has a propagation type. In a chroot whose root is none, mounts would
	 * appear outside, too, and stay. */
	if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL))
		return shunt_fail(err, -errno,
			errno == EINVAL ? "in a chroot, `mount --rbind DIR DIR` before it" : NULL,
			"cannot make the lab's mounts private: %s",
			errno == EINVAL ? "/ is no mount point" : strerror(errno));
	if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
		return shunt_fail(
			err, -errno, NULL, "cannot mount /proc in the lab: %s", strerror(errno));
	/* For /sys/class/net; a lab without it still works. The new sysfs hides the file systems
	 * mounted below /sys: mount them again. */
	if (mount("sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0) {
		(void)mount("bpf", "/sys/fs/bpf", "bpf", 0, NULL);
		(void)mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL);
		(void)mount("cgroup2", "/sys/fs/cgroup", "cgroup2", 0, NULL);
	}
	return 0;
}

static int become(char *const argv[], struct shunt_err *err)
{
	char *shell[] = {getenv("SHELL") && *getenv("SHELL") ? getenv("SHELL") : "/bin/sh", NULL};
	char *const *args = argv && argv[0] ? argv : shell;

	execvp(args[0], args);
	return shunt_fail_usage(
		err, -errno, NULL, "cannot run '%.80s': %s", args[0], strerror(errno));
}

static int die(const struct shunt_err *err)
{
	fprintf(stderr, "shunt: %s%s%s\n", err->what, *err->remedy ? ": " : "", err->remedy);
	_exit(err->kind == SHUNT_ERR_USAGE ? 2 : 1);
}

/* Process 1: build the lab, start the command, reap until it ends. */
static void init(char *const argv[], const struct bench_lab_opts *opts, int alive)
{
	struct bench_lab lab;
	struct shunt_err err = {.code = 0};
	char byte, path[64];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The parent may have died before that took effect: then the pipe is closed. */
	if (read(alive, &byte, 1) != 1)
		_exit(1);
	if (bench_lab_open(&lab, opts, &err) || setns(lab.near_ns, CLONE_NEWNET) ||
		own_mounts(&err))
		die(&err);
	prctl(PR_SET_NAME, "shunt-lab");
	snprintf(path, sizeof path, "/proc/1/fd/%d", lab.far_ns);
	setenv(FAR_ENV, path, 1);
	signal(SIGINT, SIG_IGN); /* for the command, which shares the terminal */
	signal(SIGQUIT, SIG_IGN);
	pid_t child = fork();
	if (child == 0) {
		signal(SIGINT, SIG_DFL);
		signal(SIGQUIT, SIG_DFL);
		become(argv, &err);
		die(&err);
	}
	for (int status = 0;;) {
		pid_t pid = waitpid(-1, &status, 0);
		if (pid == child)
			_exit(status_of(status));
		if (pid < 0 && errno != EINTR)
			_exit(1);
	}
}

static volatile sig_atomic_t init_pid;

static void pass_on(int sig)
{
	/* Process 1 of a PID namespace ignores signals without a handler, but not SIGKILL, which
	 * ends the lab. SIGINT reaches the command through the terminal. */
	(void)sig;
	if (init_pid > 0)
		kill(init_pid, SIGKILL);
}

/* fork into a new PID namespace, then make the caller's own the one of its later children: without
 * that it could not create threads (unshare(2)). */
static pid_t fork_init(struct shunt_err *err)
{
	int own = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC), rc = 0;

	if (own < 0)
		return shunt_fail(err, -errno, "mount /proc", "cannot open this PID namespace: %s",
			strerror(errno));
	if (unshare(CLONE_NEWPID)) {
		rc = shunt_fail(err, -errno, "run as root: it needs CAP_SYS_ADMIN",
			"cannot make a PID namespace: %s", strerror(errno));
		close(own);
		return rc;
	}
	pid_t pid = fork();
	if (pid < 0)
		rc = shunt_fail(err, -errno, NULL, "fork: %s", strerror(errno));
	if (pid && setns(own, CLONE_NEWPID) && !rc) {
		rc = shunt_fail(err, -errno, NULL, "cannot leave the lab's PID namespace: %s",
			strerror(errno));
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	close(own);
	return rc ? rc : pid;
}

int bench_lab_run(char *const argv[], const struct bench_lab_opts *opts, struct shunt_err *err)
{
	int alive[2], status;

	if (pipe2(alive, O_CLOEXEC))
		return shunt_fail(err, -errno, NULL, "pipe: %s", strerror(errno));
	fflush(NULL);
	pid_t pid = fork_init(err);
	if (pid < 0)
		return pid;
	if (pid == 0) {
		struct shunt_err e = {.code = 0};
		close(alive[1]);
		if (unshare(CLONE_NEWNS)) {
			shunt_fail(&e, -errno, NULL, "cannot make a mount namespace: %s",
				strerror(errno));
			die(&e);
		}
		init(argv, opts, alive[0]);
	}
	init_pid = pid;
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, pass_on);
	signal(SIGHUP, pass_on);
	close(alive[0]);
	if (write(alive[1], "", 1) != 1)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return shunt_fail(err, -errno, NULL, "waitpid: %s", strerror(errno));
	close(alive[1]);
	return status_of(status);
}

int bench_lab_exec_far(char *const argv[], struct shunt_err *err)
{
	const char *path = getenv(FAR_ENV);

	if (!path)
		return shunt_fail_usage(err, -ENOENT,
			"start one: `shunt lab`, and call it from that shell",
			"this is not inside a lab");
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, CLONE_NEWNET))
		return shunt_fail(err, -errno, NULL, "cannot enter the far end of the lab (%s): %s",
			path, strerror(errno));
	close(fd);
	/* /sys/class/net of the far namespace, for this command only. */
	if (!unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL))
		(void)mount("sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
	return become(argv, err);
}
