/* SPDX-License-Identifier: BSD-2-Clause
 * Is the interface still there, and up? Sticky once it is not. Queue's thread, but for the wait at
 * start. Not for the fast path.
 */
#include "drivers/af_xdp/af_xdp.h"

#include "core/clock.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#define WAIT_MS 10000u /* an 82599 took 8 s to get its link back */

static int went(struct xsk_queue *xq, int error)
{
	const char *name = xq->q.dev->info.ifname;

	if (error == -ENETDOWN)
		return shunt_gone(&xq->q, error, "%s went down: open it again when it is up", name);
	return error ? shunt_gone(&xq->q, error, "%s is gone", name) : 0;
}

/* recv moves nothing; it runs the socket's poll, and says what became of the device. */
int afxdp_link_check(struct xsk_queue *xq)
{
	SHUNT_COUNT(&xq->q, syscalls, 1);
	if (!recv(xq->fd, NULL, 0, MSG_DONTWAIT))
		return 0;
	/* ENXIO: the kernel unbound the socket when the device went. */
	return went(xq, errno == ENETDOWN ? -ENETDOWN : errno == ENXIO ? -ENODEV : 0);
}

void afxdp_link_look(struct xsk_queue *xq)
{
	xq->idle = 0;
	if (__atomic_load_n(&xq->stopped, __ATOMIC_RELAXED) || xq->q.error)
		return;
	if (xq->fd >= 0) {
		afxdp_link_check(xq);
		return;
	}
	SHUNT_COUNT(&xq->q, syscalls, 1);
	went(xq, shunt_link_state(xq->q.dev));
}

void afxdp_link_wait(struct shunt_dev *dev)
{
	uint64_t end = shunt_now() + WAIT_MS * UINT64_C(1000000);

	while (!afxdp_setting(dev, "carrier")) {
		if (shunt_now() > end) {
			shunt_note(dev, "the link of %s is still down after %u ms",
				dev->info.ifname, WAIT_MS);
			return;
		}
		usleep(10000);
	}
}
