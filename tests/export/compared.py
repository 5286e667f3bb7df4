#!/usr/bin/env python3
"""Comparisons in a real browser: on the page and as a report, with the same rows as the controller and the command
have. Pictures are left in .build/page/states."""

import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(__file__))
from axe import OUT, read  # noqa: E402
from browser import Browser  # noqa: E402
from rig import BIN, Rig, Tally, fetch  # noqa: E402

# The rows as {name: verdict}.
ROWS = "Object.fromEntries([...document.querySelectorAll('tbody tr')].map(r => [r.children[0].textContent, r.lastElementChild.textContent]))"
# Of each picture with that verdict: where its line starts, its dot, and where its line ends.
LINES = """[...document.querySelectorAll('svg.whisker.KIND')].map(s => [s.querySelector('.span').x1, s.querySelector('circle').cx, s.querySelector('.span').x2]
    .map(x => x.baseVal.valueInSpecifiedUnits))"""


def check_page(t, b):
    """A job with itself, asked for on its page; and with one that is not there."""
    rig = Rig(is_follower=False, scenario="tests/export/saves.scenario")
    try:
        b.open(f"{rig.page}#/job/research/saver")
        b.until("document.querySelector('.badge')?.textContent === 'Completed' && document.getElementById('other')")
        b.ask("(o => { o.value = 'research/saver'; o.dispatchEvent(new Event('change', {bubbles: true})); })(document.getElementById('other'))")
        b.until("document.querySelectorAll('svg.whisker').length > 3")
        read(t, b, "compared-live")
        rows = b.ask(ROWS)
        t.check("page: a job with itself has no row outside chance", rows and set(rows.values()) <= {"within chance", "too few"}, rows)
        _, sent = fetch(rig.page + "compare?namespace=research&name=saver&otherNamespace=research&otherName=saver")
        t.check("page: a row for each that the controller sends", sorted(rows) == sorted(r["row"] for r in json.loads(sent)["rows"]), rows)
        b.open(rig.page + "#/compare/research/saver/research/absent")
        b.until("document.querySelector('.empty')?.textContent === 'no such JobGoodput'")
        t.check("page: of what is not there only this is reported", all("otherName=absent" in p for p in b.problems), b.problems)
        b.problems.clear()
    finally:
        rig.close()


def check_logs(t, b):
    """Two logs of which one has steps 5 % longer."""
    for name, slower in (("fast", 1.0), ("slow", 1.05)):
        with open(f"{OUT}/{name}.log", "w") as out:
            for step in range(1, 1001):
                at = slower * (step + 0.3 * (step * 7919 % 101) / 101)
                out.write(f"2026-11-01T00:{int(at // 60):02d}:{at % 60:06.3f}Z step: {step}, loss: 3.2\n")
    path = os.path.abspath(f"{OUT}/compared.html")
    subprocess.run([f"{BIN}/kubectl-goodput", "compare", f"{OUT}/fast.log", f"{OUT}/slow.log", "--html", path], check=True)
    b.open("file://" + path)
    b.until("document.querySelectorAll('svg.whisker').length > 2")
    rows, lines = b.ask(ROWS), b.ask(LINES.replace("KIND", "worse"))
    t.check("report: the longer steps are worse, the rest is within chance", rows["step time"] == "worse" and rows["runtime goodput"] == "within chance", rows)
    t.check("report: a log has no scheduling goodput", "scheduling goodput" not in rows and "job goodput" not in rows, rows)
    t.check("report: the line is right of the middle, the change on it", lines and all(50 < low < at < high <= 100 for low, at, high in lines), lines)


def estimate(value):
    return {"value": value, "low": value - 0.01, "high": value + 0.01}


def row(name, a, b, verdict):
    return {"row": name, "unit": "share", "a": estimate(a), "b": estimate(b), "verdict": verdict, "change": {"value": b - a, "low": b - a - 0.02, "high": b - a + 0.02}}


def check_hostile(t, b):
    """Names are text, also where they are markup; a line that leaves the picture ends at its edge."""
    bad = "</script><img src=x onerror=\"window.hit=1\">"
    side = {"name": bad, "fromUnixMilliseconds": 0, "toUnixMilliseconds": 1000, "steps": 0, "ledgers": 2}
    wide = row("wide", 0.5, 0.5, "within chance")
    wide["change"].update(low=-1, high=1)
    data = {"comparison": {"a": side, "b": side, "chance": 0.001, "tested": 3, "rows": [row(bad, 0.5, 0.6, "better"), row("lost", 0.1, 0.2, "worse"), wide],
                           "advice": [{"kind": bad, "predictedPoints": 2, "obtainedPoints": {"value": 1, "low": 0.5, "high": 1.5}, "advisedStill": True}, {"kind": "Stragglers", "predictedPoints": 1}]}}
    page = open(f"{OUT}/compared.html").read()
    start = page.index(">", page.index('id="data"')) + 1
    with open(f"{OUT}/hostile-compared.html", "w") as out:
        out.write(page[:start] + json.dumps(data).replace("<", "\\u003c") + page[page.index("</script>", start):])
    b.open("file://" + os.path.abspath(f"{OUT}/hostile-compared.html"))
    b.until("document.querySelectorAll('svg.whisker').length > 3")
    t.check("hostile text stays text (comparison)", b.ask("window.hit === undefined && document.querySelectorAll('img').length === 0"))
    t.check("better is right of the middle for a goodput", b.ask(LINES.replace("KIND", "better"))[0][0] > 50)
    b.size(390, 850, is_phone=True)
    t.check("pictures are as wide as a phone has room", b.ask("document.querySelector('svg.whisker').getBoundingClientRect().width") > 150)
    b.size(1280, 850)
    low, at, high = b.ask(LINES.replace("KIND", "within-chance"))[0]
    t.check("a line that leaves the picture ends at its edges", (low, at, high) == (0, 50, 100), (low, at, high))
    gains = b.ask("[...document.querySelectorAll('[data-key=gains] tbody tr')].map(r => [...r.children].map(c => c.textContent))")
    t.check("advice: predicted and obtained", gains == [[bad, "+2.00 points", "+1.00 points", "", "+0.50 to +1.50", "has it, too"], ["Stragglers", "+1.00 points", "", "", "", ""]], gains)


def main():
    os.makedirs(OUT, exist_ok=True)
    t, b = Tally(), Browser()
    try:
        check_page(t, b)
        check_logs(t, b)
        check_hostile(t, b)
        read(t, b, "compared")
        t.check("the browser complained of nothing", not b.problems, b.problems)
    finally:
        b.close()
    t.end()


if __name__ == "__main__":
    main()
