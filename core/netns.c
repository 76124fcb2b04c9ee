/* SPDX-License-Identifier: BSD-2-Clause
 * Network namespaces by setns(2). /proc/thread-self is this thread's, not the process's.
 */
#include "core/netns.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

int shunt_netns_enter(int ns)
{
	if (ns < 0)
		return -1;
	int back = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	if (back < 0)
		return errno == EPERM ? -EACCES : -errno; /* -EPERM is -1, taken */
	if (setns(ns, CLONE_NEWNET)) {
		int rc = errno == EPERM ? -EACCES : -errno;
		close(back);
		return rc;
	}
	return back;
}

int shunt_netns_leave(int back)
{
	if (back < 0)
		return 0;
	int rc = setns(back, CLONE_NEWNET) ? -errno : 0;
	close(back);
	return rc;
}

uint64_t shunt_netns_inode(int ns)
{
	struct stat st;

	if (ns >= 0 ? fstat(ns, &st) : stat("/proc/thread-self/ns/net", &st))
		return 0;
	return st.st_ino;
}
