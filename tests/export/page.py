#!/usr/bin/env python3
"""The page in a real browser: its numbers are the status's numbers, it is live, text stays text, and a thousand jobs are
no burden. Pictures for people to look at are left in .build/page/."""

import copy
import json
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(__file__))
from browser import Browser  # noqa: E402
from jobs import FORECAST, OWNERS  # noqa: E402
from rig import BIN, Rig, Tally, fetch  # noqa: E402

OUT = ".build/page"
STORY = json.load(open("tests/data/export/story.json"))
UNOBSERVED = json.load(open("tests/data/cli/unobserved.json"))
TRAINING = json.load(open("tests/data/export/training.json"))
COST = {"currency": "USD", "pricePerChipHour": "2.5", "source": "Spec", "allocated": "1250.00", "productive": "670.00", "lost": "580.00"}
JOBS = ["llama3-70b", "running", "queued", "hostile", "new"]
HOSTILE = "</script><img src=x onerror=\"window.hit=1\"><script>window.hit=1</script>&amp;'\" javascript:window.hit=1"


def named(job, name, namespace="research"):
    job = copy.deepcopy(job)
    job["metadata"] = {"name": name, "namespace": namespace}
    job.get("status", {}).pop("checkpoint", None)
    return job


def hostile():
    job = named(STORY, "hostile")
    status = job["status"]
    for bucket in status["badput"]:
        bucket["evidence"] = HOSTILE
    status["availability"]["message"] = HOSTILE
    status["time"].pop("end", None)
    status["executions"][0].update(cause=HOSTILE[:60], evidence=HOSTILE, node=HOSTILE[:60], nodeEvidence=[{"role": "Cause", "node": HOSTILE, "signal": HOSTILE[:60], "message": HOSTILE}],
                                   rootCause={"class": HOSTILE[:32], "basis": "Derived", "symptomOnly": True, "line": HOSTILE, "frame": HOSTILE[:120]})
    status["conditions"] = [{"type": "Ready", "status": "False", "observedGeneration": 1, "reason": "Odd", "message": HOSTILE, "lastTransitionTime": "2026-11-21T00:00:00Z"}]
    return job


BARS = """[...document.querySelectorAll('.falls rect[data-bucket]')].map(r => ({name: r.dataset.bucket, milliseconds: Number(r.dataset.ms),
    x: parseFloat(r.getAttribute('x')), width: parseFloat(r.getAttribute('width')),
    words: r.closest('.row').innerText}))"""


def check_numbers(t, b, status, name):
    b.until(f"(barsSeen = {BARS}).some(r => r.name === 'wall time')")  # the page may just be drawn again
    bars = {r["name"]: r for r in b.ask("barsSeen")}
    wall = status["time"]["wallMilliseconds"]
    t.check(f"{name}: wall, available and productive are the status's", [bars[k]["milliseconds"] for k in ("wall time", "available", "productive")] ==
            [status["time"][k] for k in ("wallMilliseconds", "availableMilliseconds", "productiveMilliseconds")], bars)
    shown = {k: r["milliseconds"] for k, r in bars.items() if k not in ("wall time", "available", "productive")}
    t.check(f"{name}: a bar per bucket, with its milliseconds", shown == {r["bucket"]: r["milliseconds"] for r in status["badput"] if r["milliseconds"] > 0}, shown)
    t.check(f"{name}: the bars add up to the wall time exactly", sum(shown.values()) + bars["productive"]["milliseconds"] == wall, shown)
    t.check(f"{name}: each bar is as wide as its share", all(abs(r["width"] - 100 * r["milliseconds"] / wall) < 0.001 for r in bars.values()), bars)
    parts = [r for k, r in bars.items() if k in shown]
    left = 100.0
    is_stair = True
    for r in parts:
        left -= r["width"]
        is_stair = is_stair and abs(r["x"] - left) < 0.01
    t.check(f"{name}: each bar begins where the one below ends", is_stair, parts)
    t.check(f"{name}: the shares are written beside the bars", all(r["share"] in bars[r["bucket"]]["words"] for r in status["badput"] if r["milliseconds"] > 0))
    scores = b.ask("Object.fromEntries([...document.querySelectorAll('[data-score]')].map(e => [e.dataset.score, e.querySelector('b').textContent]))")
    expected = {score: status["goodput"][k] for score, k in (("goodput", "job"), ("scheduling", "scheduling"), ("runtime", "runtime")) if k in status["goodput"]}
    t.check(f"{name}: the scores are the status's", {k: v for k, v in scores.items() if k in ("goodput", "scheduling", "runtime")} == expected, scores)


# A table's rows as {heading: text}, with the long texts below each.
ROWS = """[...document.querySelectorAll('[data-key=KEY] tbody tr:not(.texts)')].map(r => Object.fromEntries(
    [...r.children, ...(r.nextSibling?.className === 'texts' ? r.nextSibling.querySelectorAll('.evidence') : [])]
        .map(c => [c.dataset.label, c.lastElementChild?.tagName === 'DIV' && c.className === 'evidence' ? c.lastElementChild.textContent : c.textContent])))"""
NAMES = "[...document.querySelectorAll('.fleet .name')].map(e => e.firstChild.textContent).sort()"


def open_job(b, rig, name, bars=6):
    """Opens a job's page and waits until it is that job's: a change of the fragment leaves the document, and for a moment what it showed."""
    b.open(f"{rig.page}#/job/research/{name}")
    b.until(f"document.querySelector('h1')?.textContent === 'research/{name}' && document.querySelectorAll('.falls rect').length >= {bars}")


def open_fleet(b, rig, names, fragment=""):
    """The fleet, when these and no others stand in it: jobs come in messages of 64 KiB."""
    b.open(rig.page + fragment)
    b.until(f"JSON.stringify({NAMES}) === {json.dumps(json.dumps(sorted(names), separators=(',', ':')))}")


def check_job(t, b, rig):
    open_job(b, rig, "llama3-70b")
    status = rig.get("research", "llama3-70b")["status"]
    check_numbers(t, b, status, "page")
    cut = b.ask("[...document.querySelectorAll('.evidence')].map(r => r.innerText)")
    t.check("interruptions: long evidence is cut at the end of a word", any(r.endswith("Ready: …") for r in cut) and not any("(taint node" in r for r in cut), cut)
    b.ask("document.querySelectorAll('.evidence .more').forEach(m => m.click())")
    rows = b.ask("[...document.querySelectorAll('table.cards tbody tr:not(.texts)')].map(r => r.innerText + (r.nextSibling?.innerText || ''))")
    ends = [e for e in status["executions"] if "cause" in e]
    t.check("interruptions: each with its cause and evidence", all(any(e["cause"] in r and e["evidence"] in r for r in rows) for e in ends), rows)
    struck = b.ask(ROWS.replace("KEY", "interruptions"))[::-1]  # the newest comes first
    t.check("interruptions: when each was noticed, and whether it saved on SIGTERM", [(r["noticed"], r["saved on SIGTERM"]) for r in struck] == [("1.2 s", ""), ("", "no")], struck)
    t.check("interruptions: why, who failed first, and what its nodes showed", struck[0]["root cause"] == "GPUHardware: Xid79 (Observed)first: slice 1/2, "
            "node tpu-slice-1-2GPU has fallen off the bus3 only followed" and
            struck[0]["nodes showed"] == "Cause: Xid79 on tpu-slice-1-2, 2026-11-21 07:22:57: condition XidCriticalError=True" and
            "root cause" not in struck[1], struck)
    t.check("interruptions: who owns each, and the root causes as a sum", [r["owner"] for r in struck] == ["Provider", "Scheduler"] and
            "root causes: 1 GPUHardware;" in b.ask("document.querySelector('[data-key=interruptions] .note').innerText"), struck)
    owned = b.ask("[...document.querySelectorAll('[data-key=owners] tbody tr')].map(r => [...r.children].map(c => c.textContent))")
    t.check("owners: who owns the lost time, the most first", owned == [["Provider", "20.0 s", "4.00%", "1", "1.5", "17.50"], ["Scheduler", "3.0 s", "0.60%", "1", "", "0.00"]], owned)
    came_up = b.ask(ROWS.replace("KEY", "starts"))
    t.check("executions: how each came up", [(r["image pull"], r["first step's compile"], r["slowest pull"]) for r in came_up] ==
            [("3.0 s", "2.5 s", status["executions"][0]["slowestPull"]), ("1.0 s", "2.5 s", status["executions"][1]["slowestPull"])], came_up)
    t.check("executions: a row each", b.ask("document.querySelectorAll('.gantt > svg[role=img]:not(.stairs)').length") == len(status["executions"]))
    t.check("lost work is hatched as long as it was", b.ask("[...document.querySelectorAll('.gantt .s-lost')].map(r => Number(r.dataset.ms))") ==
            [e["lostWorkMilliseconds"] for e in status["executions"] if e.get("lostWorkMilliseconds", 0) > 0])
    firsts = [e["firstStep"] for e in status["executions"] if "firstStep" in e]
    t.check("a tick at the newest checkpoint of each execution", b.ask("[...document.querySelectorAll('.gantt .saved')].map(r => Number(r.dataset.step))") ==
            [first - 1 for first in firsts[1:]] + [status["steps"]["lastDurable"]])
    ends = b.ask("[...document.querySelectorAll('.gantt .saved')].map(r => Math.min(...[...r.parentNode.querySelectorAll('.s-lost')].map(l => "
                 "Math.abs(parseFloat(l.getAttribute('x')) - parseFloat(r.getAttribute('x1'))))))")
    t.check("lost work begins at that tick", all(gap is None or gap < 0.01 for gap in ends[:-1]), ends)
    t.check("the node of each failure stands at its row", all(any(e["node"] in r for r in b.ask("[...document.querySelectorAll('.gantt .end')].map(r => r.innerText)"))
                                                               for e in status["executions"] if "node" in e))
    t.check("the staircase has a line per execution that stepped", b.ask("document.querySelectorAll('.stairs .line').length") ==
            sum("firstStep" in e for e in status["executions"]))
    axes = b.ask("[...document.querySelectorAll('.gantt .axis')].map(a => [a.getBoundingClientRect().left, a.getBoundingClientRect().width, a.textContent])")
    t.check("executions and steps have the same time axis", len(axes) == 2 and axes[0] == axes[1], axes)
    b.ask("document.querySelector('.falls button').click()")
    why = b.ask("document.querySelector('.falls .why:not([hidden])').innerText")
    t.check("a row opens to its evidence", status["badput"][0]["evidence"] in why, why)
    b.ask("document.querySelector('.falls button').click()")


def check_fleet(t, b, rig):
    open_fleet(b, rig, JOBS)
    t.check("fleet: every job has a row", True)
    b.key("/", "/")
    b.until("document.activeElement.id === 'filter'")
    for c in "llama":
        b.key(c, c)
    b.until("location.hash.includes('q=llama') && document.querySelectorAll('.fleet a').length === 1")
    t.check("fleet: the filter is in the address", True)
    b.key("Escape")
    b.until("document.activeElement.id !== 'filter'")
    b.key("ArrowDown")
    b.until("document.activeElement.matches('.fleet a')")
    b.key("Enter", "\r")
    b.until("location.hash === '#/job/research/llama3-70b' && document.querySelector('h1')?.textContent === 'research/llama3-70b'")
    t.check("keyboard: down and enter open a job", True)
    b.key("Escape")
    b.until("location.hash === '#/?q=llama' && document.activeElement.getAttribute('href') === '#/job/research/llama3-70b'")
    b.open(rig.page + "#/?q=queue:none")
    b.until("document.querySelector('.empty:not([hidden])')")
    t.check("keyboard: escape goes back to the filter and the row; a filter that nothing matches says so", True)


def check_forecast_and_cost(t, b, rig):
    open_job(b, rig, "llama3-70b")
    found = b.ask("document.querySelector('table.forecast').innerText")
    words = ["every 10 m 00 s", "blocks for 2.500 s", "durable 8.000 s later", "every 10 h 00 m", "runtime 91.10%", "goodput 90.30%", "every 6 m 20 s", "190 steps",
             "4000 steps in 2 h 30 m", "give or take 20 m 00 s", "on 2026-11-22 01:02:03"]
    t.check("forecast: what the status says", all(w in found for w in words), [w for w in words if w not in found])
    page = b.ask("document.body.innerText")
    t.check("forecast: what it assumed", "Assumed: " + FORECAST["assumptions"][0] in page)
    t.check("cost: allocated, productive and lost", "1250.00 USD = 670.00 productive + 580.00 lost; 2.5 per chip-hour" in page)
    t.check("cost: by bucket and by cause", "QueueWait" not in page.split("lost to")[-1].split("\n")[0] and "WastedProgress 42.00" in page and "NodeFailure 17.50" in page, page[-900:])


def check_live(t, b, rig):
    open_job(b, rig, "running")
    shown = b.ask("[...document.querySelectorAll('.windows .row')].map(r => [Number(r.dataset.window), r.innerText, [...r.querySelectorAll('rect')].map(x => parseFloat(x.getAttribute('width')))])")
    windows = TRAINING["status"]["windows"]
    t.check("a bar per window, of what was kept and what was lost", len(shown) == len(windows) and all(
        s[0] == w["windowSeconds"] and w["job"] in s[1] and abs(sum(s[2]) - 100) < 0.01 and abs(s[2][0] - float(w["job"][:-1])) < 0.01 for s, w in zip(shown, windows)), shown)
    rows = b.ask("[...document.querySelectorAll('table.cards tbody tr')].map(r => r.innerText)")
    t.check("what would help: a row per piece of advice, with its gain", all(any("+" + a["gainPoints"] in r and a["change"] in r and a["seen"] in r for r in rows)
                                                                            for a in TRAINING["status"]["advice"]) and len(TRAINING["status"]["advice"]) == 2, rows)
    job = named(TRAINING, "running")
    job["status"]["phase"] = "Recovering"
    job["status"]["steps"]["retained"] = 4242
    rig.put(job)
    b.until("document.body.innerText.includes('4242 kept') && document.querySelector('.badge').textContent === 'Recovering'")
    t.check("live: an open job follows its status", True)
    check_order_of_answers(t, b, rig, job)
    open_fleet(b, rig, JOBS)
    rig.put(named(TRAINING, "late"))
    open_fleet(b, rig, [*JOBS, "late"])
    rig.delete("research", "late")
    open_fleet(b, rig, JOBS)
    t.check("live: jobs come and go", True)


def check_order_of_answers(t, b, rig, job):
    """An answer that comes late does not undo what a later one has shown."""
    b.ask("""(() => { const ask = fetch; window.held = [];
        window.fetch = async (...a) => { const answer = await ask(...a); if (window.held) await new Promise(go => window.held.push(go)); return answer; };
        openJob({namespace: 'research', name: 'running'}); })()""")
    b.until("held.length === 1")
    job["status"]["steps"]["retained"] = 4343
    rig.put(job)
    b.until("jobs.get('research/running').status.steps.retained === 4343")
    b.ask("(() => { const late = held; held = null; late.reverse().forEach(go => go()); })()")
    b.until("asking === null")
    t.check("live: a late answer undoes nothing", "4343 kept" in b.ask("document.body.innerText"))


def check_hostile(t, b, rig):
    for path in ("fleet", "job"):
        b.open("about:blank")
        if path == "fleet":
            open_fleet(b, rig, JOBS)
        else:
            open_job(b, rig, "hostile")
        # A draw that the feed asks for between two questions opens the same rows again.
        shown = b.ask("(document.querySelectorAll('.falls button').forEach(e => e.click()), document.querySelector('.why:not([hidden])')?.textContent)")
        t.check(f"hostile text stays text ({path})", b.ask("window.hit === undefined && document.querySelectorAll('img').length === 0"))
    t.check("hostile text is shown as it is", shown and HOSTILE in shown, shown)
    policy = b.ask("document.querySelector('meta[http-equiv]').content")
    t.check("the policy allows no other script", "unsafe" not in policy and "sha256-" in policy, policy)
    b.ask("(() => { const s = document.createElement('script'); s.textContent = 'window.hit=2'; document.body.append(s); })()")
    t.check("an injected script does not run", b.ask("window.hit === undefined"))
    b.problems = [p for p in b.problems if "Content Security Policy" not in p]


def check_range(t, b, tool):
    """A job with unobserved time: both bounds next to the scores, and a separate color for unknown time."""
    path = os.path.abspath(f"{OUT}/unobserved.html")
    subprocess.run([tool, "report", "-f", "tests/data/cli/unobserved.json", "--html", path], check=True)
    b.open("file://" + path)
    b.until("document.querySelectorAll('.falls rect').length > 3")
    check_numbers(t, b, UNOBSERVED["status"], "unobserved")
    found = b.ask("document.querySelector('[data-range]')?.textContent")
    t.check("unobserved: the range of the scores", found == "scheduling 90.22% to 93.61%, goodput 82.18% to 85.58% (4 m 10 s unobserved)", found)
    tiles = b.ask("[...document.querySelectorAll('[data-score]')].map(e => e.textContent)")
    t.check("unobserved: at most, beside each score", any("at most 93.61%" in x for x in tiles) and any("at most 85.58%" in x for x in tiles), tiles)
    kinds = b.ask("[...document.querySelectorAll('.falls rect')].filter(r => r.dataset.bucket === 'Unobserved').map(r => r.getAttribute('class'))")
    t.check("unobserved: its bar is not that of machines that were not there", kinds == ["bar f-unobserved"], kinds)
    b.picture(f"{OUT}/unobserved.png")
    b.open("file://" + os.path.abspath(f"{OUT}/report.html"))
    b.until("document.querySelectorAll('.falls rect').length > 3")
    t.check("without unobserved time there is no range", b.ask("document.querySelector('[data-range]') === null && !document.body.innerText.includes('not observed')"))


def check_reports(t, b):
    """The same page as a file, from a JobGoodput and from a log alone."""
    report, bad, log = (os.path.abspath(f"{OUT}/{name}.html") for name in ("report", "hostile", "analyze"))
    with open(f"{OUT}/hostile.json", "w") as out:
        json.dump(hostile(), out)
    tool = f"{BIN}/kubectl-goodput"
    subprocess.run([tool, "report", "-f", "tests/data/export/story.json", "--html", report], check=True)
    subprocess.run([tool, "report", "-f", f"{OUT}/hostile.json", "--html", bad], check=True)
    done = subprocess.run([tool, "analyze", *(f"tests/data/trainer-logs/torchtitan/restarts/attempt-{i}.log" for i in (1, 2, 3)), "-o", "json", "--html", log], check=True, capture_output=True)
    for path, name, status in ((report, "report", STORY["status"]), (log, "analyze", json.loads(done.stdout))):
        b.open("file://" + path)
        b.until("document.querySelectorAll('.falls rect').length > 3")
        check_numbers(t, b, status, name)
        words = b.ask("document.body.innerText")
        t.check(f"{name}: only a log has no scheduling goodput, and says so", ("A log does not show when machines were there" in words) == (name == "analyze") and ("machines not there" in words) == (name != "analyze"))
        if name == "analyze":
            t.check("analyze: a tick for every save that the log tells", b.ask("[...document.querySelectorAll('.gantt .saved')].map(r => Number(r.dataset.step))") == [10, 20, 30, 40])
            t.check("all of which are known to be whole", b.ask("document.querySelectorAll('.started').length") == 0)
            drawn = b.ask("[...document.querySelectorAll('.stairs .line')].map(l => l.getAttribute('points').split(' ').length)")
            t.check("analyze: the staircase goes through every step of the log", drawn == [16 + 1, 20 + 1, 20 + 1], drawn)
            b.picture(f"{OUT}/analyze.png")
    check_range(t, b, tool)
    b.open("file://" + bad)
    b.until("document.querySelectorAll('.falls rect').length > 3")
    t.check("hostile text stays text (report)", b.ask("window.hit === undefined && document.querySelectorAll('img').length === 0"))


def check_ticks(t, b):
    """Data without room in a status: every save in the log, from the controller that reads it."""
    rig = Rig(is_follower=False, scenario="tests/export/saves.scenario")
    try:
        open_job(b, rig, "saver")
        b.until("document.querySelector('.badge')?.textContent === 'Completed' && document.querySelectorAll('.gantt .saved').length === 3 && !document.querySelector('.gantt .started')")
        ticks = b.ask("[...document.querySelectorAll('.gantt .saved')].map(r => [Number(r.dataset.step), parseFloat(r.getAttribute('x1')), r.classList.contains('begun')])")
        t.check("live: a tick for every save that the log told", [s for s, _, _ in ticks] == [10, 20, 30], ticks)
        t.check("live: in the order in which they were, none of them open", [x for _, x, _ in ticks] == sorted({x for _, x, _ in ticks}) and not any(x for *_, x in ticks), ticks)
        drawn = b.ask("document.querySelector('.stairs .line').getAttribute('points').split(' ').length")
        t.check("live: the staircase goes through the steps of the log", drawn > 20, drawn)
        b.picture(f"{OUT}/saves.png")
    finally:
        rig.close()


def check_explain(t, b, rig):
    """The terminal and the page say the same, but for the last digit: explain rounds so that its column adds up, the page writes the status' own shares."""
    done = subprocess.run([f"{BIN}/kubectl-goodput", "explain", "-f", "tests/data/export/story.json"], check=True, capture_output=True, text=True)
    found = re.findall(r"^ *(wall time|[A-Za-z]+) +[0-9][0-9a-z. ]*s +([0-9.]+)%", done.stdout, re.M)
    open_job(b, rig, "llama3-70b")
    shown = b.ask("Object.fromEntries([...document.querySelectorAll('.falls:not(.windows) .row')].map(r => [r.querySelector('rect').dataset.bucket, parseFloat(r.querySelector('.soft').textContent)]))")
    t.check("the rows and shares are those of kubectl goodput explain", len(found) > 10 and [k for k, _ in found] == list(shown) and
            all(abs(float(v) - shown[k]) < 0.0101 for k, v in found), (found, shown))


def pictures(t, b, rig):
    for scheme in ("light", "dark"):
        b.scheme(scheme)
        for width, kind in ((1280, "desk"), (360, "phone")):
            b.size(width, 850, is_phone=kind == "phone", scale=1 if kind == "desk" else 2)
            for path, name in (("", "fleet"), ("llama3-70b", "job"), ("running", "running"), ("queued", "queued")):
                b.open("about:blank")
                if path:
                    open_job(b, rig, path, bars=2)
                else:
                    open_fleet(b, rig, JOBS)
                b.ask("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")
                wide = b.ask("document.documentElement.scrollWidth")
                t.check(f"{name} fits {kind} in {scheme}", wide <= width, wide)
                b.picture(f"{OUT}/{name}-{kind}-{scheme}.png")
    b.scheme("light")
    b.size(1280, 850)


def check_thousand(t, b, rig):
    for i in range(1000):
        job = named(STORY if i % 3 else TRAINING, f"job-{i:04d}", f"team-{i % 7}")
        rig.put(job)
    b.open("about:blank")
    started = time.monotonic()
    b.open(rig.page + "#/?sort=name")
    b.until("document.querySelectorAll('.fleet a').length === 1005 && document.querySelectorAll('svg.strip').length > 10")
    print(f"# a thousand jobs: there {(time.monotonic() - started) * 1000:.0f} ms after the address was entered")
    drawn = b.ask("document.querySelectorAll('svg.strip').length")
    t.check("a thousand jobs: only the strips in sight are drawn", drawn < 300, drawn)
    took = b.ask("(() => { const a = performance.now(); drawFleet(); return performance.now() - a; })()")
    print(f"# a thousand jobs: drawn again in {took:.0f} ms")
    b.picture(f"{OUT}/thousand.png")


def main():
    os.makedirs(OUT, exist_ok=True)
    t, rig, b = Tally(), Rig(), Browser()
    try:
        story = named(STORY, "llama3-70b")
        story["status"].update(forecast=FORECAST, cost=COST, byOwner=OWNERS)
        story["status"]["interruptions"]["byClass"] = [{"class": "GPUHardware", "count": 1}]
        for execution, owner in zip(story["status"]["executions"], ("Provider", "Scheduler")):
            execution["owner"] = owner
        for one, cost in ((next(r for r in story["status"]["badput"] if r["bucket"] == "WastedProgress"), "42.00"),
                          (next(c for c in story["status"]["interruptions"]["byCause"] if c["cause"] == "NodeFailure"), "17.50")):
            one["cost"] = cost
        rig.put(story)
        rig.put(named(TRAINING, "running"))
        rig.put(hostile())
        queued = named(next(j for j in json.load(open("tests/data/cli/fleet.json"))["items"] if j["metadata"]["name"] == "gemma-eval"), "queued")
        queued["spec"]["stepLog"] = {"source": "PodLog", "format": "Auto"}
        rig.put(queued)
        rig.put({"apiVersion": "goodput.dev/v1alpha1", "kind": "JobGoodput", "metadata": {"name": "new", "namespace": "research"}, "spec": {"targetRef": STORY["spec"]["targetRef"]}})
        headers, document = fetch(rig.page)
        urls = set(re.findall(r"https?://[\w.]+[^'\" ]*", document))
        t.check("the document names nothing outside itself", urls == {"http://www.w3.org/2000/svg"}, urls)
        t.check("headers: nosniff, no-store", headers["X-Content-Type-Options"] == "nosniff" and headers["Cache-Control"] == "no-store")
        b.size(1280, 850)
        check_fleet(t, b, rig)
        check_job(t, b, rig)
        check_forecast_and_cost(t, b, rig)
        check_explain(t, b, rig)
        check_ticks(t, b)
        check_live(t, b, rig)
        check_hostile(t, b, rig)
        check_reports(t, b)
        pictures(t, b, rig)
        check_thousand(t, b, rig)
        t.check("the browser complained of nothing", not b.problems, b.problems)
    finally:
        b.close()
        rig.close()
    t.end()


main()
