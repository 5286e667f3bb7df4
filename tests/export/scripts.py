#!/usr/bin/env python3
"""The page's JavaScript: its functions, each by itself, in a real browser, and what eslint says of it."""

import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(__file__))
from browser import Browser  # noqa: E402
from rig import Rig, Tally, fetch  # noqa: E402

ESLINT = ".build/axe/node_modules/.bin/eslint"
UNITS = [
    ("duration(59949)", "59.9 s"), ("duration(59950)", "1 m 00 s"), ("duration(-3600e3)", "−1 h 00 m"), ("duration(undefined)", ""), ("duration(90000e3)", "1 d 01 h"),
    ("percent(82214950, 100000000)", "82.22%"), ("percent(0, 0)", ""), ("percent(1, 3)", "33.33%"), ("percent(999999, 1000000)", "100.00%"),
    ("brief('x', 'short')", "short"), ("brief('x', 'word '.repeat(60))[0].length <= 120 && brief('x', 'word '.repeat(60))[0].endsWith('word')", True),
    ("brief('x', 'y'.repeat(400))[0].length", 120),
    ("JSON.stringify(moved([0, 100e3], [0, 100e3], [0.25, 0.75]))", "[25000,75000]"), ("JSON.stringify(moved([0, 50e3], [0, 100e3], [-0.5, 0.5]))", "[0,50000]"),
    ("JSON.stringify(moved([0, 1000], [0, 100e3], [0.25, 0.75]))", "[0,1000]"),
    ("JSON.stringify(merged([{state: 'a', from: 0, to: 1}, {state: 'b', from: 1, to: 2}, {state: 'c', from: 2, to: 10000}], 0, 10000).map(s => s.state))", '["mixed","c"]'),
    ("timeTicks(0, 3600e3, 4).length", 5), ("timeTicks(0, 0, 4).length", 1), ("stepAt([[0, 0], [10, 100]], 5)", 50), ("stepAt([[0, 7], [10, 100]], -5)", 7),
    ("JSON.stringify(shares({time: {wallMilliseconds: 100}}))", "[]"),
    ("JSON.stringify(shares({time: {wallMilliseconds: 100, availableMilliseconds: 60, productiveMilliseconds: 0}}).map(s => [s.family, s.share]))", '[["runtime",60],["scheduling",40]]'),
    ("ageWords({time: {}}, 1e15)", ""), ("grouped('by x', [1, 1, 2], n => 'n' + n)", "by x: n1 2, n2 1"),
    ("interruptionGroups({trace: {interruptions: Array.from({length: 300}, (_, i) => [i * 60e3, 'n' + i % 2])}}, [{}, {}]).textContent",
     "Of the newest 300 by node: n0 150, n1 150; by hour: 1970-01-01 00h 60, 1970-01-01 01h 60, 1970-01-01 02h 60, 1970-01-01 03h 60, 1970-01-01 04h 60."),
    ("interruptionGroups({}, Array(4).fill({end: '1970-01-01T00:00:00Z', node: 'a'})).textContent", "Of the newest 4 by node: a 4; by hour: 1970-01-01 00h 4."),
    ("interruptionGroups({trace: {interruptions: [[0, 'a']]}}, [{}, {}])", None),
]


def check_units(t, b, rig):
    b.open(rig.page)
    b.until("document.body.innerText.includes('There is no JobGoodput yet')")
    for expression, expected in UNITS:
        found = b.ask(expression)
        t.check("unit: " + expression, found == expected, found)


RULES = ("no-undef", "no-unused-vars", "no-redeclare", "no-shadow", "no-var", "prefer-const", "eqeqeq", "no-dupe-keys", "no-unreachable", "no-fallthrough", "no-self-compare", "no-eval")
GLOBALS = ("document,window,location,history,addEventListener,innerWidth,scrollTo,scrollX,scrollY,fetch,AbortSignal,setTimeout,setInterval,requestAnimationFrame,"
           "matchMedia,localStorage,navigator,WebSocket,IntersectionObserver,URLSearchParams,Node")


def check_lint(t, rig):
    """eslint reads the script as it is sent, so that a name in another file is known."""
    script = re.search(r"<script>(.*?)</script>", fetch(rig.page)[1], re.S).group(1)
    done = subprocess.run([ESLINT, "--no-config-lookup", "--parser-options", "sourceType:script", "--global", GLOBALS, "--rule", json.dumps({r: 2 for r in RULES}), "--stdin"],
                          input=script, text=True, capture_output=True)
    t.check("eslint: no problem in the script", done.returncode == 0, done.stdout[-1500:] + done.stderr[-500:])
    t.check("the script is not empty for it", len(script) > 30000, len(script))


def main():
    t, rig, b = Tally(), Rig(), Browser()
    try:
        check_lint(t, rig)
        check_units(t, b, rig)
        t.check("the browser complained of nothing", not b.problems, b.problems)
    finally:
        b.close()
        rig.close()
    t.end()


main()
