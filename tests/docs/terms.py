#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Text that reaches a user has the terms of the field: none that terms_table.py lists.

terms.py SHUNT ROOT    checks what SHUNT prints, the manual page, Markdown (examples of output are read by users, too),
                       messages of the C sources, of scripts and of the build, and the schema's descriptions; speaks TAP
terms.py --list PATH...             prints file:line: each hit in files or folders, comments included
terms.py --list --messages PATH...  the same without comments

terms.exceptions has one line per exception: FILE | TEXT | REASON. FILE is what stands before the line's number, TEXT
holds the hit and is found around it, its blanks as one.
"""
import os
import re
import sys

from terms_table import BAD, GOOD, TABLE, compiled, samples
from terms_text import pieces, piece

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../apps"))
from tap import Tap, run

MOST = 30
REGEXES = compiled()
CODE = ("apps", "bench", "core", "drivers", "include", "tracing", "xdp")


def hits(text, lines, name):
    """(name, line, what was found, what surrounds it, what to write)"""
    for regex, remedy in REGEXES:
        for m in regex.finditer(text):
            around = text[max(0, m.start() - 60):m.end() + 60]
            yield name, lines[m.start()], " ".join(m[0].split()), " ".join(around.split()), remedy


def in_file(path, comments=False):
    return [h for text, lines in pieces(path, comments) or [] for h in hits(text, lines, path)]


def files(top):
    if os.path.isfile(top):
        return [top]
    found = []
    for folder, below, names in os.walk(top):
        below[:] = sorted(b for b in below if not b.startswith((".", "build", "__")))
        found += [os.path.normpath(os.path.join(folder, name)) for name in sorted(names)]
    return found


def show(hit):
    name, line, found, around, remedy = hit
    return f"{name}:{line}: '{found}' -> {remedy}   [{around}]"


def listing(words):
    comments = "--messages" not in words
    n = 0
    for top in (w for w in words if not w.startswith("--")):
        for path in files(top):
            for hit in sorted(in_file(path, comments), key=lambda h: h[1]):
                print(show(hit))
                n += 1
    return 1 if n else 0


class Exceptions:
    """Lines of terms.exceptions, and which of them were needed."""

    def __init__(self, lines):
        self.parts = [[p.strip() for p in s.split(" | ")] for s in lines if s.strip() and not s.startswith("#")]
        self.used = set()

    def allows(self, hit):
        for i, parts in enumerate(self.parts):
            if len(parts) == 3 and parts[0] == hit[0] and hit[2] in parts[1] and parts[1] in hit[3]:
                self.used.add(i)
                return True
        return False

    def faults(self):
        """What is wrong with them, once all hits were seen."""
        found = [f"{len(self.parts)} exceptions, at most {MOST}"] if len(self.parts) > MOST else []
        for i, parts in enumerate(self.parts):
            if len(parts) != 3 or not all(parts):
                found.append(f"not FILE | TEXT | REASON: {' | '.join(parts)}")
            elif i not in self.used:
                found.append(f"needed no more: {' | '.join(parts)}")
        return found


def check_exceptions(t):
    """An exception is for one text in one file, and a bad list is refused."""
    hit, = hits("it took 5 ns a packet", [1] * 99, "a.md")
    good = Exceptions(["# comment", "a.md | 5 ns a packet | quoted"])
    t.ok(good.allows(hit) and not good.faults() and not good.allows(("b.md", *hit[1:])), "an exception is for one file",
         "\n".join(good.faults()))
    t.ok(not Exceptions(["a.md | 6 ns a packet | quoted"]).allows(hit), "and for one text")
    bad = [["a.md | 5 ns a packet"], ["a.md | 5 ns a packet | "], ["a.md | not there | quoted"]]
    t.ok(all(Exceptions(lines).faults() for lines in bad), "a line without a reason or a hit is refused")
    many = Exceptions(["a.md | 5 ns a packet | quoted"] * (MOST + 1))
    many.used = set(range(MOST + 1))
    t.ok(many.faults(), f"more than {MOST} are refused")


def check_itself(t):
    """A pattern that finds nothing would pass for ever."""
    def found(text):
        return [h[2] for h in hits(*piece(text, 1), "")]
    missed = [s for s in samples(BAD) if not found(s)]
    t.ok(not missed, "each bad sample is found", "\n".join(missed))
    wrong = [f"{s}: {found(s)}" for s in samples(GOOD) if found(s)]
    t.ok(not wrong, "no good sample is found", "\n".join(wrong))
    idle = [p for (p, _), (regex, _) in zip(TABLE, REGEXES) if not any(regex.search(s) for s in samples(BAD))]
    t.ok(not idle, "each pattern has a sample", "\n".join(idle))


def printed(shunt):
    """[(what was run, its output)]"""
    verbs = re.findall(r"(?m)^  ([a-z-]+) ", run([shunt, "help"]).stdout)
    for words in [["help"], *(["help", verb] for verb in verbs), ["devices", "-v"], ["doctor"]]:
        done = run([shunt, *words])
        yield " ".join(["shunt", *words]), done.stdout + done.stderr


def groups():
    """[(what, files)] of the tree that is the current directory."""
    for path in [*sorted(f for f in os.listdir(".") if f.endswith(".md")), *files("docs")]:
        if pieces(path) is not None and not path.endswith("meson.build"):
            yield path, [path]
    for top in CODE:
        yield f"messages in {top}", files(top)
    yield "scripts", files("scripts")
    yield "the build's messages", ["meson.build", "meson_options.txt"]


def main(shunt, root):
    shunt = os.path.abspath(shunt)
    t = Tap()
    check_itself(t)
    check_exceptions(t)
    os.chdir(root)
    with open("tests/docs/terms.exceptions", encoding="utf-8") as file:
        allowed = Exceptions(file)

    def verdict(name, found):
        left = [show(h) for h in found if not allowed.allows(h)]
        t.ok(not left, name, "\n".join(left))
    for name, text in printed(shunt):
        t.ok(len(text) > 20, f"{name} prints", text)
        verdict(name, hits(*piece(text, 1), name))
    for name, paths in groups():
        verdict(name, [h for path in paths for h in in_file(path)])
    t.ok(not allowed.faults(), "the list of exceptions", "\n".join(allowed.faults()))
    t.finish()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--list"]:
        sys.exit(listing(sys.argv[2:]))
    main(*sys.argv[1:])
