# SPDX-License-Identifier: BSD-2-Clause
"""The list of packages as scripts/setup and scripts/guest.d/fetch read it, and the options of both scripts.
packages.py ROOT"""
import os
import sys
import tempfile

from tap import Tap, run

scripts = os.path.join(sys.argv[1], "scripts")
t = Tap()

LIST = """# [build] is no section here
[build]
gcc the compiler, [tests] in its text
?clang why

# a comment
[long]
[tests]
python3 why
"""


def packages(path, *sections):
    done = run(["bash", "-c", '. "$0/lib.sh"; packages "$@"', scripts, path, *sections])
    t.equal((done.returncode, done.stderr), (0, ""), f"sections {' '.join(sections)} are read")
    return done.stdout.split()


with tempfile.NamedTemporaryFile("w", suffix=".txt") as f:
    f.write(LIST)
    f.flush()
    for sections, want in ((["build"], ["gcc", "?clang"]), (["tests"], ["python3"]), (["long"], []), (["none"], []),
                           (["build", "tests", "long"], ["gcc", "?clang", "python3"])):
        t.equal(packages(f.name, *sections), want, f"{' '.join(sections)}: {' '.join(want) or 'nothing'}")
real = os.path.join(scripts, "packages")
every = {section: packages(real, section) for section in ("build", "tests", "long", "guest")}
t.ok("gcc" in every["build"] and "python3" in every["tests"] and "cpio" in every["guest"], "the list itself", every)
names = [name.lstrip("?") for section in every.values() for name in section]
t.equal(len(names), len(set(names)), "each package stands once")
for script, usage in (("setup", "[--tests|--long|--guest]"), ("test", "[--quick|--all]")):
    for words in (["--nonsense"], ["--quick", "--nonsense"]):
        done = run([os.path.join(scripts, script), *words])
        t.ok(done.returncode == 2 and not done.stdout and done.stderr.count("\n") == 1 and usage in done.stderr,
             f"scripts/{script} {' '.join(words)} is refused in one line", done.stderr)
t.finish()
