/* SPDX-License-Identifier: BSD-2-Clause
 * What a measurement depends on: memory, clocks, cores, load. Nothing here is required; all of it
 * affects results.
 */
#include "apps/doctor.h"
#include "core/clock.h"

#include <errno.h>
#include <linux/capability.h>
#include <sched.h>
#include <shunt/mem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#define UMEM_BYTES (16u << 20) /* 8192 frames of 2 KiB */

static void look_huge_pages(struct doctor_finding *f)
{
	struct shunt_region_opts opts = {.require_huge = true};
	struct shunt_region *region;
	struct shunt_err err;

	if (shunt_region_create(&region, &opts, &err)) {
		doctor_say(f, DOCTOR_WARN, "sysctl vm.nr_hugepages=64",
			"%s; small pages are used instead", err.what);
		return;
	}
	shunt_region_destroy(region, NULL);
	doctor_say(f, DOCTOR_OK, NULL, "allocated a region of 16 MiB");
}

static int may_lock(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{0}};

	syscall(SYS_capget, &head, data);
	return data[0].effective >> CAP_IPC_LOCK & 1;
}

/* A UMEM counts against the limit, unless the process has CAP_IPC_LOCK. */
static void look_memlock(struct doctor_finding *f)
{
	struct rlimit limit = {0, 0};

	getrlimit(RLIMIT_MEMLOCK, &limit);
	if (may_lock())
		doctor_say(f, DOCTOR_OK, NULL, "no limit for a process with CAP_IPC_LOCK");
	else if (limit.rlim_cur >= UMEM_BYTES)
		doctor_say(f, DOCTOR_OK, NULL, "the limit is enough for an AF_XDP queue");
	else
		doctor_say(f, DOCTOR_WARN, "run as root, or raise it: ulimit -l 65536",
			"the limit of %llu KiB is below the %u KiB of an AF_XDP queue",
			(unsigned long long)limit.rlim_cur / 1024, UMEM_BYTES / 1024);
}

static void look_clock(struct doctor_finding *f)
{
	enum { READS = 20000 };
	char source[64];
	uint64_t t0 = shunt_now();

	for (int i = 0; i < READS; i++)
		(void)shunt_now();
	double ns = (double)(shunt_now() - t0) / READS;
	doctor_read("/sys/devices/system/clocksource/clocksource0/current_clocksource", source,
		sizeof source);
	if (ns < 200)
		doctor_say(f, DOCTOR_OK, NULL, "%s, %.0f ns per read", *source ? source : "unknown",
			ns);
	else
		doctor_say(f, DOCTOR_WARN, "select tsc or kvm-clock, if available",
			"%s takes %.0f ns per read: every read is a system call",
			*source ? source : "unknown", ns);
}

static int is_virtual(void)
{
	char line[4096];
	int found = 0;
	FILE *file = fopen("/proc/cpuinfo", "re");

	while (file && !found && fgets(line, sizeof line, file))
		found = !strncmp(line, "flags", 5) && strstr(line, " hypervisor");
	if (file)
		fclose(file);
	return found;
}

static void look_cores(struct doctor_finding *f)
{
	cpu_set_t set;
	char smt[16];
	int n = sched_getaffinity(0, sizeof set, &set) ? (int)sysconf(_SC_NPROCESSORS_ONLN)
						       : CPU_COUNT(&set);

	doctor_read("/sys/devices/system/cpu/smt/active", smt, sizeof smt);
	if (n < 2)
		doctor_say(f, DOCTOR_WARN, "use two cores",
			"1 core: generator and receiver take turns on it");
	else
		doctor_say(f, DOCTOR_OK, NULL, "%d%s", n,
			*smt == '1' ? ", two threads per core: siblings slow each other down" : "");
}

static void look_virtual(struct doctor_finding *f)
{
	if (is_virtual())
		doctor_say(f, DOCTOR_WARN,
			"compare paths with each other, or measure on bare metal",
			"this is a virtual machine: system calls and clock reads may cost more "
			"than "
			"on bare metal, and the host may steal CPU time");
	else
		doctor_say(f, DOCTOR_OK, NULL, "no hypervisor");
}

/* The kernel shows /proc/pressure/irq (6.1) exactly when it accounts for interrupt time. */
static void look_softirq(struct doctor_finding *f)
{
	struct utsname u;
	unsigned major = 0, minor = 0;

	uname(&u);
	sscanf(u.release, "%u.%u", &major, &minor);
	if (!access("/proc/pressure/irq", F_OK))
		doctor_say(f, DOCTOR_OK, NULL,
			"the kernel accounts softirq time separately from threads' CPU time");
	else if (major < 6 || (major == 6 && minor < 1) || access("/proc/pressure/cpu", F_OK))
		doctor_say(f, DOCTOR_WARN, NULL,
			"unknown whether the kernel accounts softirq time separately");
	else
		doctor_say(f, DOCTOR_WARN,
			"shunt subtracts it by tracing; CONFIG_IRQ_TIME_ACCOUNTING avoids it",
			"softirq time counts as CPU time of the thread that it interrupts");
}

static void look_load(struct doctor_finding *f)
{
	double load[1] = {0};
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	if (getloadavg(load, 1) == 1 && load[0] > 0.3 * (double)n)
		doctor_say(f, DOCTOR_WARN, "stop other programs before you measure",
			"%.1f on %ld cores in the last minute", load[0], n);
	else
		doctor_say(f, DOCTOR_OK, NULL, "%.1f on %ld cores in the last minute", load[0], n);
}

static void look_iommu(struct doctor_finding *f)
{
	int vfio = !access("/dev/vfio/vfio", F_OK),
	    groups = !access("/sys/kernel/iommu_groups/0", F_OK);

	if (vfio && groups)
		doctor_say(f, DOCTOR_OK, NULL, "VFIO and IOMMU groups are available");
	else
		doctor_say(f, DOCTOR_WARN, "only pci: needs them", "%s%s%s",
			vfio ? "" : "no /dev/vfio/vfio", vfio || groups ? "" : ", ",
			groups ? "" : "no IOMMU groups");
}

const struct doctor_item doctor_machine[] = {
	{"huge pages", 0, look_huge_pages},
	{"locked memory", 0, look_memlock},
	{"clock", 0, look_clock},
	{"cores", 0, look_cores},
	{"hardware", 0, look_virtual},
	{"softirq time", 0, look_softirq},
	{"load", 0, look_load},
	{"VFIO", 0, look_iommu},
	{NULL, 0, NULL},
};
