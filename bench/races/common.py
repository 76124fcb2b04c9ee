# SPDX-License-Identifier: BSD-2-Clause
"""What the scripts of this folder share: options that are refused in one line, files of results."""
import argparse
import json
import os

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Options(argparse.ArgumentParser):
    """--build, and --help with the text of the script; a bad option is exit status 2 and one line."""

    def __init__(self, text):
        super().__init__(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
        self.add_argument("--build", default=os.path.join(ROOT, "build"), metavar="DIR", help="a build (build)")

    def error(self, message):
        self.exit(2, f"{self.prog}: {message}; --help has the options\n")


def count_of(text):
    """An argparse type: a whole number, 1 or more."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no number from 1 on")
    return int(text)


def some_of(known, what):
    """An argparse type: a comma-separated list of known words."""
    def parse(text):
        words = {str(k): k for k in known}
        for word in text.split(","):
            if word not in words:
                raise argparse.ArgumentTypeError(f"no {what} '{word}', there are {', '.join(words)}")
        return [words[word] for word in text.split(",")]
    return parse


def results_in(path):
    """An argparse type: a file that --json wrote."""
    try:
        with open(path, encoding="utf-8") as f:
            return json.load(f)
    except (OSError, ValueError) as why:
        raise argparse.ArgumentTypeError(f"{path}: {why}") from why


def write_results(path, doc):
    with open(path, "w", encoding="utf-8") as f:
        json.dump(doc, f, indent=1)
        f.write("\n")


def bar(label, ratio, goal, at_most, digits=2, slack=0.0):
    """Print a ratio beside what is promised; whether that was missed. A ratio of None was not measured."""
    promised = f"promised {'at most' if at_most else 'at least'} {goal}"
    if ratio is None:
        print(f"  {label}: not measured, {promised}: NOT REACHED")
        return True
    held = ratio <= goal + slack if at_most else ratio >= goal - slack
    print(f"  {label}: {ratio:.{digits}f}, {promised}{'' if held else ': NOT REACHED'}")
    return not held
