/* SPDX-License-Identifier: BSD-2-Clause
 * The checks of `shunt doctor`. A check tries where it can, and leaves nothing behind.
 */
#ifndef APPS_DOCTOR_H
#define APPS_DOCTOR_H

enum doctor_state { DOCTOR_OK, DOCTOR_WARN, DOCTOR_NO };

struct doctor_finding {
	enum doctor_state state;
	char text[320];
	char remedy[320]; /* "" where there is nothing to do */
};

struct doctor_item {
	const char *name;
	int needed; /* by `shunt compare` */
	void (*look)(struct doctor_finding *f);
};

extern const struct doctor_item doctor_kernel[];  /* doctor_kernel.c: what the kernel allows */
extern const struct doctor_item doctor_machine[]; /* doctor_machine.c: memory, clocks, cores */
/* Both end with a NULL name. */

void doctor_say(struct doctor_finding *f, enum doctor_state state, const char *remedy,
	const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* First line of a small file, without its newline; 0 or -errno. */
int doctor_read(const char *path, char *buf, unsigned size);

#endif
