#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shunt gen, to devices that need no privileges. gen.sh SHUNT; speaks TAP.
. "$(dirname "$0")/tap.sh"
shunt=$1

json() { # EXPRESSION FILE: true of the document d
	/usr/bin/python3 -c "import json, sys; d = json.load(open(sys.argv[1])); sys.exit(not ($1))" "$2"
}
gen() {
	"$shunt" gen "$@"
}
full() {
	"$shunt" "$@" >/dev/full
}

refuses 'no device' 2 'which device' gen
refuses 'two devices' 2 'not 2' gen null: null:
refuses 'an unknown option' 2 --nonsense gen null: --nonsense
refuses 'an option without its value' 2 'takes a value' gen null: --rate
refuses 'a size below 60' 2 "'59'" gen null: --size 59
refuses 'a size above 1514' 2 "'1515'" gen null: --size 1515
refuses 'a rate of 0' 2 "'0'" gen null: --rate 0
refuses 'no flows' 2 "'0'" gen null: --flows 0
refuses 'speed without a file' 2 -pcap gen null: --speed x2
refuses 'an unknown scheme' 2 "'nonsense'" gen nonsense:x
refuses 'a file that cannot be made' 1 'cannot write' gen pcap:/nonexistent/out

gen null: --packets 1000 --size 512 --rate 100k --json >"$tmp/json"
check 'a number of frames, paced' json "d['schema'] == 'shunt-gen/1' and d['sent'] == 1000 and
	d['sent_bytes'] == 512000 and d['refused'] == d['unsendable'] == 0 and d['asked_pps'] == 1e5 and
	d['elapsed_ns'] >= 9900000 and d['error'] is None" "$tmp/json"
gen null: --rate 1000 --seconds 0.2 --json >"$tmp/json"
check 'a rate and a time make a number' json "d['sent'] == 200" "$tmp/json"
gen null: --seconds 0.1 --json >"$tmp/json"
check 'a time alone' json "d['sent'] > 1000 and 5e7 < d['elapsed_ns'] < 5e9" "$tmp/json"
check 'an interrupt ends it with the summary' sh -c '"$1" gen null: --rate 100 >"$2" & pid=$!
	sleep 0.5; kill -INT $pid; wait $pid && grep -q "^sent [1-9]" "$2"' - "$shunt" "$tmp/out"

if ! "$shunt" version | grep -qw pcap; then
	skip 'capture files' 'built without libpcap'
	finish
	exit
fi
check 'to a capture file' gen "pcap:$tmp/a.pcap" --packets 100 --size 200 --flows 2
check 'from one to another' gen "pcap:$tmp/b.pcap" --pcap "$tmp/a.pcap"
# Except for the time of writing they are the same.
check 'the frames are the same' /usr/bin/python3 - "$tmp/a.pcap" "$tmp/b.pcap" <<'PY'
import struct, sys
def frames(path):
    data, at, out = open(path, "rb").read(), 24, []
    while at < len(data):
        n = struct.unpack_from("<I", data, at + 8)[0]
        out.append(data[at + 16 : at + 16 + n])
        at += 16 + n
    return out
a, b = map(frames, sys.argv[1:])
assert a == b and len(a) == 100, (len(a), len(b))
for i, f in enumerate(a):
    assert len(f) == 200 and f[:6] == bytes([2, 0, 0, 0, 0, 3])
    assert struct.unpack_from(">H", f, 34)[0] == 1024 + i % 2
    assert struct.unpack_from("<Q", f, 42)[0] == i
PY
check 'rx reads it to its end' "$shunt" rx "pcap:$tmp/a.pcap" --pcap "$tmp/c.pcap"
check 'rx --pcap gives the same file' cmp "$tmp/a.pcap" "$tmp/c.pcap"
refuses 'a document that nobody takes, of rx' 1 'cannot write JSON' full rx "pcap:$tmp/a.pcap" --json
refuses 'of gen' 1 'cannot write JSON' full gen null: --packets 1 --json
refuses 'of fwd' 1 'cannot write JSON' full fwd "pcap:$tmp/a.pcap" "pcap:$tmp/d.pcap" --one-way --json
head -c 1000 "$tmp/a.pcap" >"$tmp/cut.pcap"
head -c 24 "$tmp/a.pcap" >"$tmp/none.pcap"
: >"$tmp/empty.pcap"
refuses 'no such capture file' 2 "$tmp/absent" gen null: --pcap "$tmp/absent"
refuses 'an empty file' 2 "$tmp/empty.pcap" gen null: --pcap "$tmp/empty.pcap"
refuses 'a capture file without frames' 2 'no frame' gen null: --pcap "$tmp/none.pcap"
refuses 'sizes for a capture file' 2 'own sizes' gen null: --pcap "$tmp/a.pcap" --size 60
refuses 'rate and speed' 2 'not both' gen null: --pcap "$tmp/a.pcap" --rate 5 --speed x2
gen null: --pcap "$tmp/cut.pcap" --json >"$tmp/json" 2>"$tmp/err"
status=$?
check 'a file that is cut off sends what is whole, and fails' sh -c \
	'[ "$1" = 1 ] && grep -q "damaged at frame 5" "$2"' - $status "$tmp/err"
check 'and the document says so' json "d['sent'] == 4 and 'frame 5' in d['error']" "$tmp/json"
check 'rx of it fails, too' sh -c '"$1" rx "pcap:$2" >"$3" 2>&1; [ $? = 1 ] &&
	grep -q "damaged at frame 5" "$3" && grep -q "^4 packets" "$3"' - "$shunt" "$tmp/cut.pcap" "$tmp/out"
finish
