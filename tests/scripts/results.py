# SPDX-License-Identifier: BSD-2-Clause
"""scripts/retry and scripts/summary on results that are written here. results.py ROOT"""
import json
import os
import sys
import tempfile

from tap import Tap, run

scripts = os.path.join(sys.argv[1], "scripts")
t = Tap()


def entry(name, result="OK", stdout="", duration=1.0, **more):
    return {"name": f"shunt:{name}", "result": result, "stdout": stdout, "duration": duration, "returncode": 0, **more}


def write(path, entries):
    with open(path, "w", encoding="utf-8") as f:
        f.write("".join(json.dumps(e) + "\n" for e in entries))


def retry(*words):
    done = run([os.path.join(scripts, "retry"), *words])
    t.equal((done.returncode, done.stderr), (0, ""), f"retry {words[0]} runs")
    return done.stdout


def summary(entries, steps=""):
    """Of a build named `one`: exit status and lines."""
    with tempfile.TemporaryDirectory() as folder:
        write(f"{folder}/one.json", entries)
        with open(f"{folder}/steps", "w", encoding="utf-8") as f:
            f.write(steps)
        done = run([os.path.join(scripts, "summary"), folder])
    t.equal(done.stderr, "", "summary does not complain")
    return done.returncode, done.stdout.splitlines()


def has(lines, text, name):
    t.ok(any(text in line for line in lines), name, "\n".join(lines))


def counts():
    status, lines = summary(
        [entry("unit / a", stdout="ok 1 - x\nnot ok 2 - y\n# it is 3\nok 3 - z # SKIP no card\n1..3\n", result="ERROR"),
         entry("cli / b", stdout="1..0 # SKIP needs root\n", result="SKIP"),
         entry("fuzz-replay / c"), entry("bench / d", stdout="valgrind is not installed\n", result="SKIP")],
        "pass\tbuild\t\t7\nskip\tsuite long\tno time\t\nran\tone: tests\t\t9\n")
    t.equal((status, lines[-1]), (1, "3 passed, 1 failed, 4 skipped"), "subtests, programs and steps are counted")
    has(lines, "FAILED: one: unit / a: y", "a failed subtest is named")
    has(lines, "# it is 3", "with what it said")
    for reason, name in (("no card", "one: unit / a: z"), ("needs root", "one: cli / b: all"),
                         ("valgrind is not installed", "one: bench / d"), ("no time", "suite long")):
        at = lines.index(f"skipped: {reason}") if f"skipped: {reason}" in lines else -2
        t.equal(lines[at + 1], f"    {name}", f"skipped with its reason: {reason}")
    t.equal(summary([entry("unit / a")])[0], 0, "a pass: status 0")
    t.equal(summary([entry("unit / a", result="SKIP")])[0], 1, "nothing but skips: status 1")


def failures():
    """Whatever a program said before: what meson says of it counts."""
    for result, stdout, what in (("TIMEOUT", "ok 1 - x\n1..1\n", "a time-out after the last subtest"),
                                 ("TIMEOUT", "ok 1 - x\n1..5\n", "a time-out before it"),
                                 ("TIMEOUT", "", "a time-out without output"),
                                 ("ERROR", "ok 1 - x\n1..1\n", "an exit status"),
                                 ("INTERRUPT", "", "an interrupt")):
        status, lines = summary([entry("net / a", result=result, stdout=stdout)])
        t.ok(status == 1 and " 1 failed," in lines[-1] and any("FAILED" in x and result.lower() in x for x in lines),
             f"{what} is a failure, and named", "\n".join(lines))
    status, lines = summary([entry("net / a", stdout="ok 1 - x\n1..2\n")])
    t.ok(status == 1 and " 1 failed," in lines[-1], "a subtest that is missing is a failure", "\n".join(lines))


def seconds():
    _, lines = summary([entry("unit / a", duration=1.5), entry("unit / b", duration=2.25),
                        entry("guest+guest-short / c", duration=60)], "pass\tbuild\t\t7\nran\tone: tests\t\t63\n")
    has(lines, "one: guest 60.0, unit 3.8", "the seconds of each suite")
    has(lines, "7 build", "the seconds of a step")
    has(lines, "63 one: tests", "and of a whole run")
    t.equal(lines[-1], "4 passed, 0 failed, 0 skipped", "the count is the last line")


def retries():
    bad = [entry(f"{suite} / {suite}-1", result="ERROR", stdout=f"ok 1 - a\nnot ok 2 - {suite} broke\n1..2\n", duration=4)
           for suite in ("unit", "net", "a-new-suite")]
    good = [entry("docs / fine")]
    with tempfile.TemporaryDirectory() as folder:
        first, second = f"{folder}/one.json", f"{folder}/second"
        write(first, good + bad + [entry("unit / four", result="TIMEOUT")])
        t.equal(retry("failed", first).split(), [], "four that failed are no bad luck")
        write(first, good)
        t.equal(retry("failed", first).split(), [], "nothing failed: nothing is retried")
        write(first, good + bad)
        t.equal(retry("failed", first).split(), ["unit-1", "net-1", "a-new-suite-1"], "three may be retried, of any suite")
        # The third fails again, and a neighbour of the same name was run beside.
        write(second, [entry("docs / fine", result="ERROR"), entry("unit / unit-1", stdout="ok 1 - a\nok 2 - b\n1..2\n"),
                       entry("net / net-1"), bad[2]])
        text = retry("merge", first, second)
        t.ok("second try of net-1: OK; at first: not ok 2 - net broke" in text, "the first failure is printed", text)
        done = run([os.path.join(scripts, "summary"), folder])
        lines = done.stdout.splitlines()
        t.equal((done.returncode, lines[-1]), (1, "5 passed, 1 failed, 0 skipped"), "the second try counts")
        for suite, word in (("unit", "ok"), ("net", "ok"), ("a-new-suite", "error")):
            has(lines, f"retried: one: {suite} / {suite}-1: {word} at the second try, at first: not ok 2 - {suite} broke",
                f"{suite}: the summary names the program and its first failure")
        has(lines, "net 5.0", "both tries are in the seconds")


counts()
failures()
seconds()
retries()
t.finish()
