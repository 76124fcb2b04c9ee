/* SPDX-License-Identifier: BSD-2-Clause
 * What really happened, and what was lost: info, ledger, counters, identity.
 */
#include "drivers/core/driver.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

void shunt_fact(struct shunt_dev *dev, const char *key, const char *fmt, ...)
{
	struct shunt_info *info = &dev->info;
	unsigned i = 0;
	va_list ap;

	pthread_mutex_lock(&dev->say);
	while (i < info->nfacts && strcmp(info->facts[i].key, key))
		i++;
	if (i < SHUNT_FACTS) {
		va_start(ap, fmt);
		vsnprintf(info->facts[i].value, sizeof info->facts[0].value, fmt, ap);
		va_end(ap);
		info->facts[i].key = key;
		info->nfacts += i == info->nfacts;
	}
	pthread_mutex_unlock(&dev->say);
}

void shunt_note(struct shunt_dev *dev, const char *fmt, ...)
{
	struct shunt_info *info = &dev->info;
	va_list ap;

	pthread_mutex_lock(&dev->say);
	if (info->nnotes < SHUNT_NOTES) {
		va_start(ap, fmt);
		vsnprintf(info->notes[info->nnotes++], sizeof info->notes[0], fmt, ap);
		va_end(ap);
	}
	pthread_mutex_unlock(&dev->say);
}

int shunt_gone(struct shunt_queue *q, int error, const char *fmt, ...)
{
	struct shunt_dev *dev = q->dev;
	va_list ap;

	pthread_mutex_lock(&dev->say);
	if (!dev->info.gone[0]) {
		va_start(ap, fmt);
		vsnprintf(dev->info.gone, sizeof dev->info.gone, fmt, ap);
		va_end(ap);
	}
	pthread_mutex_unlock(&dev->say);
	if (!q->error)
		SHUNT_SET(q->error, error);
	return q->error;
}

bool shunt_is_gone(struct shunt_dev *dev)
{
	pthread_mutex_lock(&dev->say);
	bool gone = dev->info.gone[0];
	pthread_mutex_unlock(&dev->say);
	return gone;
}

/* The lock is the only thing that changes. */
void shunt_get_info(const struct shunt_dev *dev, struct shunt_info *info)
{
	pthread_mutex_t *say = &((struct shunt_dev *)dev)->say;

	pthread_mutex_lock(say);
	*info = dev->info;
	pthread_mutex_unlock(say);
	if (dev->nqueues)
		info->queues = dev->nqueues;
}

void shunt_add_loss(struct shunt_ledger *ledger, const char *name, uint64_t count, const char *what)
{
	if (ledger->losses == SHUNT_LEDGER_MAX)
		return;
	ledger->loss[ledger->losses++] = (struct shunt_loss){name, what, count};
}

int shunt_get_ledger(struct shunt_dev *dev, struct shunt_ledger *ledger, struct shunt_err *err)
{
	uint64_t lost = 0;

	memset(ledger, 0, sizeof *ledger);
	int rc = dev->drv->ledger(dev, ledger, err);
	if (rc)
		return rc;
	for (unsigned i = 0; i < dev->nqueues; i++)
		if (dev->queue[i])
			ledger->delivered +=
				__atomic_load_n(&dev->queue[i]->stats.rx_packets, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < ledger->losses; i++)
		lost += ledger->loss[i].count;
	ledger->unaccounted = (int64_t)(ledger->received - ledger->delivered - lost);
	return 0;
}

void shunt_queue_stats(const struct shunt_queue *q, struct shunt_qstats *stats)
{
	const uint64_t *from = (const uint64_t *)&q->stats;
	uint64_t *to = (uint64_t *)stats;

	for (size_t i = 0; i < sizeof *stats / sizeof *to; i++)
		to[i] = __atomic_load_n(from + i, __ATOMIC_RELAXED);
}

void shunt_get_stats(const struct shunt_dev *dev, struct shunt_qstats *sum)
{
	struct shunt_qstats one;
	const uint64_t *from = (const uint64_t *)&one;
	uint64_t *to = (uint64_t *)sum;

	memset(sum, 0, sizeof *sum);
	for (unsigned i = 0; i < dev->nqueues; i++) {
		if (!dev->queue[i])
			continue;
		shunt_queue_stats(dev->queue[i], &one);
		for (size_t k = 0; k < sizeof one / sizeof *from; k++)
			to[k] += from[k];
	}
}

void shunt_queue_identity(const struct shunt_queue *q, struct shunt_identity *id)
{
	memset(id, 0, sizeof *id);
	id->fd = -1;
	id->ifindex = q->dev->info.ifindex;
	id->netns = q->dev->info.netns;
	id->queue = q->index;
	id->pid = getpid();
	id->tid = (pid_t)syscall(SYS_gettid);
	if (q->dev->drv->identity)
		q->dev->drv->identity(q, id);
}

unsigned shunt_nqueues(const struct shunt_dev *dev)
{
	return dev->nqueues;
}

struct shunt_queue *shunt_get_queue(struct shunt_dev *dev, unsigned index)
{
	return index < dev->nqueues ? dev->queue[index] : NULL;
}

static bool has_key(const struct shunt_key *k, const char *name)
{
	while (k && k->name && strcmp(k->name, name))
		k++;
	return k && k->name;
}

/* Except those that are in `own`: a driver may take more values of a common key. */
static void describe_keys(
	const struct shunt_key *k, const struct shunt_key *own, char *buf, size_t size)
{
	size_t used = strlen(buf);

	for (; k && k->name && used < size; k++)
		used += has_key(own, k->name) ? 0
					      : (size_t)snprintf(buf + used, size - used, "%s%s=%s",
							used ? ", " : "", k->name,
							k->kind == SHUNT_KEY_CHOICE   ? k->values
							: k->kind == SHUNT_KEY_NUMBER ? "N"
										      : "TEXT");
}

int shunt_driver_at(unsigned index, struct shunt_driver_info *info, struct shunt_err *err)
{
	static _Thread_local char keys[256];
	const struct shunt_driver *d = shunt_driver_table(index);

	if (!d)
		return -ENOENT;
	keys[0] = 0;
	describe_keys(d->keys, NULL, keys, sizeof keys);
	describe_keys(shunt_common_keys, d->keys, keys, sizeof keys);
	*info = (struct shunt_driver_info){.name = d->name,
		.scheme = d->scheme,
		.summary = d->summary,
		.example = d->example,
		.dirs = d->dirs,
		.keys = keys,
		.depth = d->depth,
		.memory = d->memory};
	info->usable = d->usable ? d->usable(err) : 0;
	return 0;
}
