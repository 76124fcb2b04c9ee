/* SPDX-License-Identifier: BSD-2-Clause
 * Machine facts, cores and their load. Any thread.
 */
#include "bench/lab/machine.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static void read_line(const char *path, char *buf, size_t size)
{
	FILE *f = fopen(path, "re");

	buf[0] = 0;
	if (!f)
		return;
	if (fgets(buf, (int)size, f))
		buf[strcspn(buf, "\n")] = 0;
	fclose(f);
}

/* The hypervisor's signature, CPUID leaf 0x40000000 (Documentation/virt/kvm/x86/cpuid.rst). That
 * of QEMU's TCG is "TCGTCGTCGTCG". */
static void read_hypervisor(struct bench_machine *m)
{
	char name[13] = "";

#if defined(__x86_64__) || defined(__i386__)
	unsigned a = 0, b = 0, c = 0, d = 0;

	__cpuid(0x40000000, a, b, c, d);
	memcpy(name, &b, 4);
	memcpy(name + 4, &c, 4);
	memcpy(name + 8, &d, 4);
#endif
	m->emulated = !strcmp(name, "TCGTCGTCGTCG");
	snprintf(m->virt, sizeof m->virt, "virtual machine%s",
		m->emulated                   ? " (QEMU TCG, an emulated CPU)"
		: !strncmp(name, "KVMKVM", 6) ? " (KVM)"
					      : "");
}

/* "model name : X" of /proc/cpuinfo, and whether CPUID's hypervisor bit is set. */
static void read_cpu(struct bench_machine *m)
{
	char line[4096];
	FILE *f = fopen("/proc/cpuinfo", "re");

	while (f && fgets(line, sizeof line, f)) {
		char *value = strchr(line, ':');
		if (!value)
			continue;
		value += strspn(value, ": \t");
		value[strcspn(value, "\n")] = 0;
		if (!m->cpu[0] && !strncmp(line, "model name", 10))
			snprintf(m->cpu, sizeof m->cpu, "%.90s", value);
		if (!m->virt[0] && !strncmp(line, "flags", 5) && strstr(value, " hypervisor"))
			read_hypervisor(m);
	}
	if (f)
		fclose(f);
}

void bench_machine_read(struct bench_machine *m)
{
	struct utsname u;
	char line[128], *at;

	memset(m, 0, sizeof *m);
	uname(&u);
	snprintf(m->kernel, sizeof m->kernel, "%.40s %.40s", u.sysname, u.release);
	read_cpu(m);
	m->cores = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource",
		m->clocksource, sizeof m->clocksource);
	if (getloadavg(m->load, 3) != 3)
		m->load[0] = m->load[1] = m->load[2] = 0;
	FILE *f = fopen("/proc/meminfo", "re");
	while (f && fgets(line, sizeof line, f))
		if ((at = strstr(line, "HugePages_Free:")))
			m->huge_pages_free = (unsigned)strtoul(at + 15, NULL, 10);
	if (f)
		fclose(f);
}

int bench_cores_pick(struct bench_cores *cores, struct shunt_err *err)
{
	cpu_set_t set;
	int found[2], n = 0;

	if (sched_getaffinity(0, sizeof set, &set))
		return shunt_fail(
			err, -errno, NULL, "cannot read the CPU affinity: %s", strerror(errno));
	/* The last two allowed: interrupts and housekeeping usually run on the first. */
	for (int i = CPU_SETSIZE - 1; i >= 0 && n < 2; i--)
		if (CPU_ISSET(i, &set))
			found[n++] = i;
	cores->allowed = (unsigned)CPU_COUNT(&set);
	cores->app = found[0];
	cores->generator = n > 1 ? found[1] : found[0];
	return 0;
}

int bench_pin(int core, struct shunt_err *err)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(core, &set);
	if (sched_setaffinity(0, sizeof set, &set))
		return shunt_fail(err, -errno, NULL, "cannot pin a thread to core %d: %s", core,
			strerror(errno));
	return 0;
}

int bench_ticks_read(int core, struct bench_ticks *t)
{
	char name[16], line[512];
	uint64_t v[8] = {0};
	FILE *f = fopen("/proc/stat", "re");
	int rc = -ENOENT;

	*t = (struct bench_ticks){0};
	if (!f)
		return -errno;
	snprintf(name, sizeof name, core < 0 ? "cpu " : "cpu%d ", core);
	while (rc && fgets(line, sizeof line, f)) {
		if (strncmp(line, name, strlen(name)))
			continue;
		/* user nice system idle iowait irq softirq steal: proc_stat(5) */
		if (sscanf(line,
			    "%*s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
			    " %" SCNu64 " %" SCNu64 " %" SCNu64,
			    v, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6, v + 7) >= 7)
			rc = 0;
	}
	fclose(f);
	t->busy = v[0] + v[1] + v[2] + v[5] + v[6];
	t->softirq = v[6];
	t->steal = v[7];
	t->total = t->busy + v[3] + v[4] + v[7];
	return rc;
}

struct bench_ticks bench_ticks_since(const struct bench_ticks *now, const struct bench_ticks *then)
{
	return (struct bench_ticks){now->busy - then->busy, now->softirq - then->softirq,
		now->steal - then->steal, now->total - then->total};
}
