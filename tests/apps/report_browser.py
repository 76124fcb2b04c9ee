#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The HTML report in a headless Chromium: no error in the console, nothing fetched, nothing wider
than the page at 1400 and 400 pixels, in light and dark. Screenshots are left for people. TAP.

Usage: report_browser.py REPORT_TOOL SAMPLE FOLDER
"""
import html
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--hide-scrollbars", "--enable-logging=stderr", "--v=0"]
DARK, LIGHT = "--blink-settings=preferredColorScheme=0", "--blink-settings=preferredColorScheme=1"

# Runs beside the report, in a page around it. Headless windows are at least 500 wide, a frame isn't.
PROBE = """<script>
addEventListener('load', () => {
  const doc = document.querySelector('iframe').contentDocument, root = doc.documentElement;
  const box = e => e.getBoundingClientRect();
  const wide = [...doc.querySelectorAll('section, figure, svg text, svg rect, p, dl, h1, h2, h3')]
    .filter(e => !e.closest('defs') && (box(e).right > root.clientWidth + 1 || box(e).left < -1))
    .map(e => e.outerHTML.slice(0, 80));
  let schema = '';
  try { schema = JSON.parse(doc.getElementById('shunt-compare').textContent).schema; } catch (e) { schema = `${e}`; }
  const rows = [...doc.querySelectorAll('.grid tbody tr:not(.group)')].map(r => r.cells.length);
  const out = document.createElement('pre');
  out.id = 'result';
  out.textContent = JSON.stringify({
    width: root.clientWidth, scroll: root.scrollWidth, wide, schema, cells: [...new Set(rows)],
    heads: doc.querySelectorAll('.grid thead th').length, charts: doc.querySelectorAll('svg.chart').length,
    untitled: [...doc.querySelectorAll('svg[role=img]')].filter(s => !s.querySelector('title').textContent).length,
    uncaptioned: [...doc.querySelectorAll('table')].filter(t => !t.caption).length,
    resources: doc.defaultView.performance.getEntriesByType('resource').map(r => r.name),
    paper: doc.defaultView.getComputedStyle(doc.body).backgroundColor, h1: doc.querySelectorAll('h1').length});
  document.body.append(out);
});
</script>"""


def chromium(*args):
    """Output and log of one run, in a user folder of its own."""
    with tempfile.TemporaryDirectory() as user:
        done = subprocess.run([BROWSER, *FLAGS, "--user-data-dir=" + user, *args], check=False,
                              capture_output=True, text=True, errors="replace", timeout=60)
    return done.stdout, done.stderr


def console(log):
    return [line for line in log.splitlines() if ":CONSOLE" in line]


def framed(report, width, probe=""):
    return (f'<!DOCTYPE html><title>frame</title><body style="margin:0"><iframe style="border:0;width:{width}px;'
            f'height:3000px" srcdoc="{html.escape(report)}"></iframe>{probe}')


def first_pixel(name):
    """Of a PNG: its size and the sum of the colours at the top left."""
    with open(name, "rb") as file:
        data = file.read()
    at, packed = 8, b""
    width, height = struct.unpack(">II", data[16:24])
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + size] if kind == b"IDAT" else b""
        at += size + 12
    return width, height, sum(zlib.decompress(packed)[1:4])


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return "file://" + os.path.abspath(path)


def inspect(folder, report, width, scheme):
    url = write(folder, "probe.html", framed(report, width, PROBE))
    dom, log = chromium(scheme, "--window-size=1500,3100", "--dump-dom", url)
    text = dom.partition('<pre id="result">')[2].partition("</pre>")[0]
    return json.loads(html.unescape(text)) if text else {}, console(log)


def checks(report, folder):
    """Pairs of (what is tested, what is wrong with it or nothing)."""
    url = write(folder, "error.html", report.replace("</main>", "<script>console.error('x'); none();</script></main>"))
    yield "an error in a console would be seen", [] if len(console(chromium("--dump-dom", url)[1])) >= 2 else ["it is not"]
    url = write(folder, "report.html", report)
    dom, log = chromium("--dump-dom", url)
    yield "the report loads", [] if "What a received packet costs" in dom else [dom[:200], log[-300:]]
    yield "its console is empty", console(log)
    for width in (1400, 400):
        seen, errors = inspect(folder, report, width, DARK if width == 400 else LIGHT)
        yield f"no console error at {width}", errors
        wide = seen.get("wide", ["no result"])
        sideways = [f"scrolls to {seen['scroll']}"] if seen and seen["scroll"] > seen["width"] else []
        yield f"nothing is wider than {width}", wide + sideways
        wanted = {"width": width, "schema": "shunt-compare/1", "charts": 4, "untitled": 0, "uncaptioned": 0,
                  "resources": [], "h1": 1, "cells": [seen.get("heads", 0) + 1]}
        yield f"the page is whole at {width}", [f"{k}: {seen.get(k)}, not {v}" for k, v in wanted.items() if seen.get(k) != v]
    for width in (1400, 400):
        for name, scheme in (("light", LIGHT), ("dark", DARK)):
            shot = os.path.join(folder, f"{name}-{width}.png")
            url = write(folder, "frame.html", framed(report, width).replace("3000px", "6400px"))
            chromium(scheme, f"--window-size={max(width, 500)},6400", "--screenshot=" + shot, url)
            wide, _, colour = first_pixel(shot) if os.path.exists(shot) else (0, 0, -1)
            good = wide >= width and (colour > 700 if name == "light" else 0 <= colour < 150)
            yield f"{name} at {width} looks {name}", [] if good else [f"width {wide}, colour {colour}"]


def main():
    tool, sample, folder = sys.argv[1:4]
    os.makedirs(folder, exist_ok=True)
    report = subprocess.run([tool, "html", sample], check=True, capture_output=True, text=True).stdout
    number = 0
    for number, (label, faults) in enumerate(checks(report, folder), 1):
        print(f"{'not ok' if faults else 'ok'} {number} - {label}", flush=True)
        for fault in faults[:10]:
            print("# " + str(fault).replace("\n", " "))
    for name in ("probe.html", "error.html", "frame.html"):
        os.unlink(os.path.join(folder, name))
    print(f"1..{number}")


BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
if __name__ == "__main__":
    if BROWSER:
        main()
    else:
        print("1..0 # SKIP lacks chromium")
