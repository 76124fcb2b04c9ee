# SPDX-License-Identifier: BSD-2-Clause
"""The terms that shunt's text avoids: patterns, what to write in their place, and samples of both."""
import re

# What is counted. Words that are verbs as well ("copies a packet") need a count before them.
STRONG = r"""ns|us|ms|µs|[KMGT]iB|[km]?pps|\w*seconds|instructions|cycles|bytes|bits|frames|packets|descriptors|chunks|pages
    |threads|buffers|slots|rows|lines|syscalls|interrupts|barriers|round trips|accesses|(?:system|library|function) calls?
    |(?:context|task) switch(?:es)?|cache (?:lines|misses)|CPU(?: time)?|doorbells|counters|attempts|wake-?ups"""
WEAK = r"calls|copies|reads|writes|polls|switches|files|locks|exits|entries|words|marks|stamps|samples|passes"
COUNT = r"""[\d.,]+|no|one|two|three|four|many|most|more|fewer|less|several|of|in|by|hidden|user|kernel|empty|memory|clock
    |payload|MMIO|register"""
ONE = r"""file|line|row|column|lock|call|copy|folder|sentence|read|write|mapping|descriptor|barrier|fence|doorbell|exit|stamp|page
    |entry|chunk|bit|byte|word|frame|packet|poll|wake-?up|guest|cell|bar|id|name|slot|check|recv\w*|send\w*|thread|process
    |interrupt|callback|key|socket|test|program|switch|queue|skb|registration|second|counter|attempt"""
PER = r"""packet|frame|burst|batch|queue|path|pass|round|line|call|block|driver|verb|file|process|core|CPU|device|chunk|page|row
    |column|cell|thread|run|test|key|machine|minute|day|loop|slot|descriptor|card|NIC|ring|poll|byte|copy|segment|link|mode
    |name|spec|scheme|direction|port|socket|interface|lap|lab|room|kernel|interrupt|wake-?up|document|end|read|write|look
    |fact|suite|metric|figure|check|step|item|entry|sample|case|guest|section|window|millisecond"""
TIME = r"""second(?!\ (?:time|one|thread|call|copy|look|region|device|queue|socket|program|process|run|pass|file|line|block|lab|lap))"""
ANY = rf"{PER}|{TIME}"

# (pattern, what to write). A space matches a line's end, too.
TABLE = [
    (rf"\b(?:{STRONG}) an? (?:{ANY})\b", "UNIT per NOUN"),
    (rf"\b(?:{COUNT}) (?:{WEAK}) an? (?:{ANY})\b", "UNIT per NOUN"),
    (rf"^(?:{WEAK}) an? (?:{ANY})$", "UNIT per NOUN"),
    (rf"\b(?:no|one|two|an?)(?: [\w-]+){{0,2}} (?:{ONE}) an? (?:{ANY})\b", "one X per NOUN"),
    (rf"\b(?:once|twice|times) an? (?:{PER})\b(?! (?:is|has|had|was|goes|can))", "once per NOUN"),
    (rf"(?:\d[kMG]?|%[.\d]*[fud]|\bmany|\bmillion|\bthousand) an? (?:{ANY})\b", "NUMBER per NOUN"),
    (rf"\b(?:one|two) an? (?:{ANY})\b", "one per NOUN"),
    (r"\bcosts?(?: in [\w\s]+)? an? (?:packet|frame)\b", "costs per packet"),
    (r"\b(?:past|round|around) the (?:kernel|stack)\b|\bpast the kernel's (?:stack|path)\b", "kernel bypass"),
    (r"\b(?:paths?|ways?|lanes?|routes?) (?:round|around|past) (?:it|the kernel)\b", "kernel bypass"),
    (r"\bof one's own\b", "user-space NIC driver"),
    (r"\broom=", "depth="),
    (r"\bfigures?\b(?!>|\{|\ h3\{)", "metric, value, number"),
    (r"\b(?:was|were|is|are|been|be) got\b", "provenance; obtained"),
    (r"\bask(?:s|ed|ing)?(?: (?:it|them|for it))? back\b", "the kernel requests release"),
    (r"\blet(?:s|ting)?(?: (?:it|them|the \w+|a \w+))? go\b", "unbind; release"),
    (r"\bg(?:ive|ives|ave|iven|iving)(?: [\w']+){0,3} back\b(?!-| to back)", "return"),
    (r"\bl(?:ie|ies|ay|ying) about(?! (?:\d|a |an |half))", "cached"),
    (r"\bthe way down\b", "teardown"),
    (r"\bh(?:ung|angs?|anging) (?:\w+ )?(?:at|on to|onto)\b", "attached"),
    (r"\bput(?:s|ting)?(?: [\w']+){0,3} back\b(?!-| to back)", "restore"),
    (r"\bseen only by\b|\bby (?:who|whoever) finds\b", "reported once ..."),
    (r"\bwithout a word\b", "silently"),
    (r"\bnobody's wish\b", "useless"),
    (r"\ban? easy life\b", "does less work"),
    (r"\bno scandal\b", "expected"),
    (r"\bpaths? (?:\w+ )?(?:that|which) (?:waits?|spins?|polls?|sleeps?|blocks?)\b|\b(?:waits?|spins?|sleeps?),? (?:or|and) (?:polls?|spins?)\b",
     "busy-polling, blocking (poll)"),
    (r"\bspinning (?:\w+ )?paths?\b|\bpaths? spin\b", "busy-polling path"),
]

# Samples, parted by | or a line's end; \n in one is a line's end.
BAD = r"""
55 to 60 ns a frame | what it costs, in ns a packet: | 10,000 frames a second, paced | packets a second | MiB a queue
%.0f ns of CPU a frame | most system calls a packet | copies a packet | 0.5 copies a packet | bytes a frame in memory
one lock a burst | a verb table and a file a verb | a line a path | a sentence a packet | one call a packet, then one a batch
one a line | what every path costs a packet in CPU time | instructions, MMIO accesses and cache lines a packet
a blocking recvmsg a packet | one clock read a burst | CPU a packet at the same pace | context switches\na packet
once a burst | runs four times a pass | 0.5 a packet | %.2f a frame | a million a second | so many a call | one queue a device
past the kernel's stack | packet I/O past the kernel | paths round it | a NIC of one's own | use room=64
how each figure was got | What was got differs | a chunk that is asked back | the card was let go | gives the chunk back | gives blocks back
memory that lies about | on the way down | a program hung at a function | the mode is put back | fails without a word
is seen only by who finds the ring empty | is nobody's wish | has an easy life | is no scandal
paths that wait, spin or poll | the spinning kernel path | whether they spin or poll
"""
GOOD = r"""
copies a packet that is not in its region | it frees a chunk | frames sent a second time | frames of a second queue
switches a link off | reads a byte of every packet | calls a function | what a packet costs | a packet costs more
ns per packet | copies per packet | one file per verb | context switches\nper packet | it runs once per second
the queue of a device | gives a frame to a queue | stores a line of text | bytes of a frame | the first frame of a burst
a file with a path in it | keeps a chunk and a packet | sends a frame to a port | a round of passes | it polls a queue
looks around the ring | about a millisecond | memory of its own | got a packet | kept back | let us go on
bench_write_figure | <figure> | figure h3{margin:0} | groom=1 | wait=spin\|poll | a round-trip time | rates once a second | once a device is stopped
"""


def compiled():
    """[(regex, remedy)]; a space stands for blanks and at most one line's end."""
    gap = r"(?:[ \t]+|[ \t]*\n[ \t]*)"

    def regex(pattern):
        dense = re.sub(r"\n\s*", "", pattern)
        return re.compile(re.sub(r"\\? ", lambda _: gap, dense), re.I)
    return [(regex(pattern), remedy) for pattern, remedy in TABLE]


def samples(text):
    """The samples of a text."""
    return [s.strip().replace("\\n", "\n").replace("\\|", "|")
            for s in re.split(r"(?<!\\)\||\n", text) if s.strip()]
