/* SPDX-License-Identifier: BSD-2-Clause
 * The host's end of a guest's card: sends and receives raw frames on a pair of Unix sockets (QEMU's
 * -netdev dgram), compares every one, and says so in one line per direction.
 *   guest-peer NIC RING BASE FRAMES SEED [tx] [rx]
 * BASE is DIR/nicN. Writes BASE.tx.pcap, the frames that the guest shall send; sends its own as
 * soon as BASE.go is there; on SIGTERM compares BASE.rx.pcap, what the guest received. Status 0:
 * every frame of the directions named came once, in order, and as it was.
 */
#include "tests/guest/frames.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct tally {
	enum frame_dir dir;
	uint32_t sent, received, compared, mismatched, duplicates, disordered, strays, next;
	uint8_t *seen; /* one byte per frame */
};

struct peer {
	const char *nic, *ring, *base;
	uint32_t frames;
	uint64_t seed;
	uint8_t mac[6];
	int fd;
	struct sockaddr_un guest;
	struct tally tx, rx;
};

struct pcap_header {
	uint32_t magic, version, zone, sigfigs, snaplen, linktype;
};

struct pcap_record {
	uint32_t sec, nsec, caplen, len;
};

static volatile sig_atomic_t ending;

static void on_term(int sig)
{
	(void)sig;
	ending = 1;
}

static _Noreturn void die(const char *what, const char *name)
{
	fprintf(stderr, "guest-peer: %s%s: %s\n", what, name, strerror(errno));
	exit(2);
}

static FILE *open_beside(const struct peer *p, const char *suffix, const char *mode)
{
	char path[200];

	snprintf(path, sizeof path, "%s%s", p->base, suffix);
	return fopen(path, mode);
}

/* One frame that came out of the guest's card, or that the guest says it received. */
static void judge(const struct peer *p, struct tally *t, const uint8_t *frame, uint32_t len)
{
	uint8_t want[FRAME_MAX];
	uint32_t i;

	if (!frame_number(frame, len, &i)) {
		t->strays++;
		return;
	}
	if (i >= p->frames) {
		t->mismatched++;
		return;
	}
	if (t->seen[i]++) {
		t->duplicates++;
		return;
	}
	t->received++;
	t->disordered += i < t->next;
	t->next = i + 1;
	uint32_t wanted = frame_make(want, p->seed, t->dir, p->mac, i);
	bool same = wanted == len && !memcmp(want, frame, len);
	t->compared++;
	if (!same && !t->mismatched++)
		fprintf(stderr, "guest-peer: %s frame %u differs: %u bytes, %u came\n",
			t->dir == FRAME_TX ? "tx" : "rx", i, wanted, len);
}

static void write_frames(const struct peer *p)
{
	struct pcap_header h = {0xa1b23c4d, 4u << 16 | 2, 0, 0, 65535, 1};
	uint8_t frame[FRAME_MAX];
	FILE *f = open_beside(p, ".tx.pcap", "wbe");

	if (!f || fwrite(&h, sizeof h, 1, f) != 1)
		die("cannot write the frames beside ", p->base);
	for (uint32_t i = 0; i < p->frames; i++) {
		uint32_t len = frame_make(frame, p->seed, FRAME_TX, p->mac, i);
		struct pcap_record r = {0, i, len, len};
		fwrite(&r, sizeof r, 1, f);
		fwrite(frame, len, 1, f);
	}
	if (fclose(f))
		die("cannot write the frames beside ", p->base);
}

static void read_frames(struct peer *p)
{
	struct pcap_header h;
	struct pcap_record r;
	uint8_t frame[65536];
	FILE *f = open_beside(p, ".rx.pcap", "rbe");

	if (!f)
		return; /* received none, and the tally says so */
	if (fread(&h, sizeof h, 1, f) == 1 && h.magic == 0xa1b23c4d)
		while (fread(&r, sizeof r, 1, f) == 1 && r.caplen <= sizeof frame &&
			fread(frame, 1, r.caplen, f) == r.caplen)
			judge(p, &p->rx, frame, r.caplen);
	fclose(f);
}

static void set_address(struct sockaddr_un *a, const struct peer *p, const char *suffix)
{
	*a = (struct sockaddr_un){.sun_family = AF_UNIX};
	if ((size_t)snprintf(a->sun_path, sizeof a->sun_path, "%s%s", p->base, suffix) >=
		sizeof a->sun_path) {
		errno = ENAMETOOLONG;
		die("", p->base);
	}
}

static void open_wire(struct peer *p)
{
	struct timeval wait = {.tv_usec = 20000};
	struct sockaddr_un own;

	set_address(&own, p, ".host");
	set_address(&p->guest, p, ".guest");
	unlink(own.sun_path);
	p->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (p->fd < 0 || bind(p->fd, (struct sockaddr *)&own, sizeof own) ||
		setsockopt(p->fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait))
		die("cannot open ", own.sun_path);
}

static void receive_waiting(struct peer *p)
{
	uint8_t frame[65536];
	ssize_t n;

	while ((n = recv(p->fd, frame, sizeof frame, MSG_DONTWAIT)) > 0)
		judge(p, &p->tx, frame, (uint32_t)n);
}

/* A full socket blocks for a moment: QEMU takes no more than its card does. */
static void send_some(struct peer *p)
{
	uint8_t frame[FRAME_MAX];

	for (unsigned k = 0; k < 32 && p->rx.sent < p->frames; k++) {
		uint32_t len = frame_make(frame, p->seed, FRAME_RX, p->mac, p->rx.sent);
		if (sendto(p->fd, frame, len, 0, (struct sockaddr *)&p->guest, sizeof p->guest) !=
			(ssize_t)len) {
			if (errno == EAGAIN || errno == EINTR || errno == ENOBUFS)
				return;
			die("cannot send to ", p->guest.sun_path);
		}
		p->rx.sent++;
	}
}

static void run(struct peer *p)
{
	char go[200];
	bool going = false;

	snprintf(go, sizeof go, "%s.go", p->base);
	while (!ending) {
		struct pollfd in = {p->fd, POLLIN, 0};
		bool sending = going && p->rx.sent < p->frames;
		if (poll(&in, 1, sending ? 0 : 20) > 0)
			receive_waiting(p);
		if (sending)
			send_some(p);
		going = going || !access(go, F_OK);
	}
	receive_waiting(p);
}

static bool report(const struct peer *p, const struct tally *t)
{
	printf("nic=%s ring=%s dir=%s sent=%u received=%u compared=%u mismatched=%u duplicates=%u "
	       "disordered=%u strays=%u seed=%llu\n",
		p->nic, p->ring, t->dir == FRAME_TX ? "tx" : "rx", t->sent, t->received,
		t->compared, t->mismatched, t->duplicates, t->disordered, t->strays,
		(unsigned long long)p->seed);
	return t->sent == p->frames && t->received == t->sent && t->compared == t->sent &&
	       !t->mismatched && !t->duplicates && !t->disordered;
}

int main(int argc, char **argv)
{
	struct sigaction term = {.sa_handler = on_term};
	struct peer p = {.fd = -1, .mac = {0x52, 0x54}};
	bool good = true;

	if (argc < 6) {
		fprintf(stderr, "usage: guest-peer NIC RING BASE FRAMES SEED [tx] [rx]\n");
		return 2;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigaction(SIGTERM, &term, NULL);
	p.nic = argv[1];
	p.ring = argv[2];
	p.base = argv[3];
	p.frames = (uint32_t)strtoul(argv[4], NULL, 0);
	p.seed = strtoull(argv[5], NULL, 0);
	p.mac[5] = (uint8_t)(p.base[strlen(p.base) - 1] - '0' + 1);
	/* The guest is asked to send all of them: what it did not is missing. */
	p.tx = (struct tally){.dir = FRAME_TX, .sent = p.frames, .seen = calloc(p.frames, 1)};
	p.rx = (struct tally){.dir = FRAME_RX, .seen = calloc(p.frames, 1)};
	if (!p.tx.seen || !p.rx.seen)
		die("", "memory");
	write_frames(&p);
	open_wire(&p);
	printf("ready\n");
	fflush(stdout);
	run(&p);
	read_frames(&p);
	for (int i = 6; i < argc; i++)
		good &= report(&p, strcmp(argv[i], "rx") ? &p.tx : &p.rx);
	close(p.fd);
	free(p.tx.seen);
	free(p.rx.seen);
	return !good;
}
