#!/usr/bin/env python3
"""The states of the page in a real browser, and what a person does in them. axe reads each. Pictures are left in
.build/page/states."""

import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(__file__))
from axe import OUT, READ, read  # noqa: E402
from browser import Browser  # noqa: E402
from colors import check_colors  # noqa: E402
from jobs import CLUSTER, FLEET, FLEET_WORDS, STORY, TRAINING, named, put_jobs, shifted  # noqa: E402
from opens import JOBS, NAMES, open_job, open_list  # noqa: E402
from rig import BIN, Rig, Tally  # noqa: E402

NO_SOCKET = "window.WebSocket = class { constructor() { window.socket = this; } };"
REFUSED = "window.WebSocket = class { constructor() { setTimeout(() => this.onclose(), 1); } };"
def with_script(b, script, url):
    """Opens an address in a browser whose socket is another one."""
    added = b.call("Page.addScriptToEvaluateOnNewDocument", source=script)["identifier"]
    b.open("about:blank")
    b.open(url)
    b.call("Page.removeScriptToEvaluateOnNewDocument", identifier=added)


def check_before_data(t, b, rig):
    """Nothing is claimed before the jobs came."""
    for name, script, words in (("loading", NO_SOCKET, "Loading the jobs"), ("disconnected", REFUSED, "Not connected to the controller")):
        with_script(b, script, rig.page)
        b.until(f"document.querySelector('main').innerText.includes('{words}')")
        page = b.ask("document.body.innerText")
        t.check(f"{name}: it says so, and nothing of jobs", not re.search("no JobGoodput|No job|1969|1970", page), page)
        t.check(f"{name}: no axis, no tiles, no list", b.ask("[...document.querySelectorAll('svg.axis, .tile, .fleet')].every(e => e.checkVisibility && !e.checkVisibility())"))
        read(t, b, name)
    with_script(b, NO_SOCKET, rig.page + "#/job/research/none")
    b.until("document.querySelector('main').innerText.includes('There is no such JobGoodput')")
    read(t, b, "no-such-job")
    open_empty(b, rig)
    t.check("empty: there is no JobGoodput, no axis", "1969" not in b.ask("document.body.innerText") and not b.ask("document.querySelector('.axis') !== null && document.querySelector('.axis').checkVisibility()"))
    read(t, b, "empty")


def open_empty(b, rig):
    b.open("about:blank")
    b.open(rig.page)
    b.until("document.body.innerText.includes('There is no JobGoodput yet')")


def check_truth(t, b, rig):
    """The list: what runs, what is old, what is wrong; each job's time as a whole."""
    open_list(b, rig)
    found = {n: w for n, w in b.ask("[...document.querySelectorAll('.fleet a')].map(a => [a.querySelector('.name').firstChild.textContent, a.innerText])")}
    t.check("old numbers are marked, fresh ones and those of an ended job are not", ["old" in found[n] for n in ("stuck", "trains", "done")] == [True, False, False], found)
    t.check("a False condition is in the list", "StepLogAttached: PodNotFound" in found["queued-again"] and "Ready: TargetNotFound" in found["typo"], found)
    sums = b.ask("[...document.querySelectorAll('svg.stack')].map(s => [s.closest('li').dataset.key, [...s.children].map(r => [r.getAttribute('class'), parseFloat(r.getAttribute('width'))])])")
    t.check("a stack per job with times, each of 100 %", len(sums) == len(JOBS) - 1 and all(abs(sum(w for _, w in parts) - 100) < 0.01 for _, parts in sums), sums)
    done = dict(sums)["research/done"]
    times = STORY["status"]["time"]
    t.check("a stack: kept, lost with machines, lost without", [round(w, 2) for _, w in done] == [round(100 * x / times["wallMilliseconds"], 2) for x in (
        times["productiveMilliseconds"], times["availableMilliseconds"] - times["productiveMilliseconds"], times["wallMilliseconds"] - times["availableMilliseconds"])], done)
    t.check("steps not known are not drawn as lost", [c for c, _ in dict(sums)["research/blind"]][0] == "bar f-wall" or "f-wall" in str(dict(sums)["research/blind"]), dict(sums)["research/blind"])
    for width in (1280, 390):
        b.size(width, 850)
        thin = b.ask("[...document.querySelectorAll('svg.strip rect')].map(r => r.getBoundingClientRect().width).filter(w => w < 0.9)")
        t.check(f"no bar of a strip is thinner than a pixel at {width} px", thin == [], thin)
    read(t, b, "list")
    open_list(b, rig, "#/?range=now", [n for n in JOBS if n not in ("done", "blind", "digits")])
    t.check("what runs or waits now: no job that has ended", True)
    read(t, b, "list-now")
    open_list(b, rig, "#/?range=3600", ["queued-again", "trains", "waits", "stuck", "typo", "interrupted"])
    t.check("the last hour: no job that ended before", True)


def check_fleetgoodput(t, b, rig):
    """A FleetGoodput above the jobs: its bar, groups, losses and costs."""
    open_list(b, rig)
    b.until("document.querySelector('.fleetgoodput svg.fall')")
    status = FLEET["status"]
    found = b.ask("document.querySelector('.fleetgoodput').innerText")
    for words in FLEET_WORDS:
        t.check(f"fleet: it says {words}", words in found, found)
    rows = b.ask("[...document.querySelectorAll('.fleetgoodput tbody tr')].map(r => [...r.children].map(c => c.textContent))")
    t.check("fleet: a row for all and one per group, with scores and cost", [[r[0], r[3], r[6]] for r in rows] ==
            [["all", "50.00%", "580.00"], ["research-tpu", "50.00%", "580.00"], [status["groups"][1]["name"], "–", "–"]], rows)
    bars = b.ask("[...document.querySelectorAll('svg.fall rect')].map(r => [r.textContent.split(':')[0], parseFloat(r.getAttribute('width')), parseFloat(r.getAttribute('x'))])")
    whole = status["waterfall"][0]["chipSeconds"]
    parts = {s["name"]: 100 * s["chipSeconds"] / whole for s in status["waterfall"] if not s.get("total") or s["name"] == "Productive"}
    t.check("fleet: the bar has a part for what was gained and for each loss, idle chips included", {n: round(w, 2) for n, w, _ in bars} == {n: round(w, 2) for n, w in parts.items()}, bars)
    t.check("fleet: the parts fill the bar", abs(sum(w for _, w, _ in bars) - 100) < 0.01 and all(abs(bars[i][2] + bars[i][1] - bars[i + 1][2]) < 0.01 for i in range(len(bars) - 1)), bars)


def check_address(t, b, rig):
    """Filter, order and range are in the address and survive a job, Esc and back; tiles follow them."""
    open_list(b, rig, "#/?q=research&range=now&sort=name", ["interrupted", "queued-again", "stuck", "trains", "typo", "waits"])
    t.check("tiles: over the jobs in the list", b.ask("document.querySelector('.tile').innerText").split() == ["6", "jobs", "of", "9"])
    here = b.ask("location.hash")
    for back in ("Escape", "history"):
        b.ask("document.querySelector('[data-key=\"research/trains\"] a').click()")
        b.until("document.querySelector('h1')?.textContent === 'research/trains'")
        b.key("Escape") if back == "Escape" else b.ask("history.back()")
        b.until(f"location.hash === {json.dumps(here)} && document.querySelectorAll('.fleet a').length === 6")
        kept = b.ask("[document.getElementById('filter').value, document.querySelector('[name=sort]').value, document.querySelector('[name=range]').value, document.activeElement.getAttribute('href')]")
        t.check(f"{back}: back to the same filter, order, range and row", kept == ["research", "name", "now", "#/job/research/trains"], kept)
    order = b.ask(NAMES)
    b.ask("document.querySelector('[data-sort=name]').click()")
    t.check("a column's head turns its order round", b.ask(NAMES) == order[::-1] and "sort=-name" in b.ask("location.hash"), b.ask(NAMES))
    b.ask("document.querySelector('[data-sort=goodput]').click()")
    chosen = b.ask("[...document.querySelector('[name=sort]').selectedOptions].map(o => o.textContent)")
    t.check("the choice of the order follows a column's head", chosen == ["goodput, lowest first"], chosen)
    scores = [float(x.rstrip("%")) for x in b.ask("[...document.querySelectorAll('.fleet .goodput')].map(e => e.firstChild.textContent)") if x != "–"]
    t.check("a column's head orders by it", scores == sorted(scores) and b.ask("document.querySelector('[data-sort=goodput]').getAttribute('aria-pressed')") == "true", scores)
    b.ask("document.querySelector('[data-sort=goodput]').click()")
    chosen = b.ask("[...document.querySelector('[name=sort]').selectedOptions].map(o => o.textContent)")
    t.check("and says that it is reversed", chosen == ["goodput, lowest first, reversed"] and "sort=-goodput" in b.ask("location.hash"), chosen)
    read(t, b, "sorted")
    b.open("about:blank")
    b.open(rig.page + "#/?q=nothing+like+this")
    b.until("document.body.innerText.includes('No job matches the filter')")
    read(t, b, "no-match")


def check_cluster(t, b, rig):
    open_list(b, rig)
    t.check("the cluster's name is in the head and in the title", b.ask(f"[document.querySelector('header').innerText.includes('{CLUSTER}'), document.title]") == [True, "Goodput – " + CLUSTER], b.ask("document.title"))
    open_job(b, rig, "trains")
    title = b.ask("document.title")
    t.check("and with a job, and above the commands to copy", title.startswith("trains ") and title.endswith("– " + CLUSTER) and
            "in " + CLUSTER in b.ask("document.querySelector('[data-key=commands] h2').innerText"), title)
    read(t, b, "trains")


LOOK = "getSelection().selectAllChildren(document.querySelector('h1')); window.kept = [document.querySelector('h1'), document.querySelector('.falls button'), document.querySelector('.gantt svg')]; kept[1].focus()"


def check_patch(t, b, rig):
    """A new status changes what differs; what a person does with the rest continues."""
    open_job(b, rig, "trains")
    b.ask("document.querySelector('.falls button').click()")
    b.ask(LOOK)
    why = b.ask("document.querySelector('.why:not([hidden])').innerText")
    job = shifted(named(TRAINING, "trains"), 10)
    job["status"]["steps"]["retained"] = 4242
    job["status"]["conditions"][0].update(status="False", reason="Odd", message="a warning that pushes all down")
    rig.put(job)
    b.until("document.body.innerText.includes('4242 kept') && document.body.innerText.includes('Ready: Odd')")
    t.check("a status update keeps the elements", b.ask("kept.every(e => e.isConnected)"))
    t.check("a status update keeps the selection", b.ask("String(getSelection())") == "research/trains", b.ask("String(getSelection())"))
    t.check("a status update keeps the focus", b.ask("document.activeElement === kept[1]"))
    t.check("a status update keeps what is open", b.ask("document.querySelector('.why:not([hidden])')?.innerText") == why)
    open_list(b, rig, "#/?sort=name")
    b.ask("(() => { const a = document.querySelector('[data-key=\"research/trains\"] a'); a.focus(); window.kept = [a, ...document.querySelectorAll('.fleet a')]; getSelection().selectAllChildren(document.querySelector('[data-key=\"research/stuck\"] .name')); })()")
    job["status"]["phase"] = "Recovering"
    rig.put(job)
    b.until("document.querySelector('[data-key=\"research/trains\"]').innerText.includes('Recovering')")
    t.check("a row that changes keeps its element and the focus", b.ask("kept.every(e => e.isConnected) && document.activeElement === kept[0]"))
    t.check("a row that changes keeps the selection in another", "stuck" in b.ask("String(getSelection())"))


def check_job(t, b, rig):
    open_job(b, rig, "queued-again")
    ends = b.ask("[...document.querySelectorAll('.gantt .end')].map(e => e.innerText).filter(Boolean)")
    t.check("an execution of a queued job does not say that it runs", "queued" in ends and not any("running" in e for e in ends), ends)
    t.check("commands to copy name the job, its target and its pod", all(w in b.ask("document.querySelector('.commands').innerText") for w in (
        "kubectl goodput explain queued-again -n research", "kubectl describe jobset llama3-70b -n research", "kubectl logs llama3-70b-slice-0-0-abcde -n research", "kubectl describe node tpu-a-0-3")))
    read(t, b, "queued-again")
    for name in ("done", "waits", "blind", "typo"):
        open_job(b, rig, name)
        read(t, b, name)
    open_job(b, rig, "digits")
    tiles = b.ask("[...document.querySelectorAll('[data-score] b')].map(e => e.textContent)")
    bars = b.ask("[...document.querySelectorAll('.falls .sum')].map(e => e.querySelector('.soft').textContent)")
    t.check("tile and bar agree to the digit", tiles == ["82.22%", "82.22%", "100.00%"] and bars == ["100.00%", "82.22%", "82.22%"], (tiles, bars))
    read(t, b, "digits")
    open_job(b, rig, "stuck")
    t.check("a job whose numbers are old says so", "old" in b.ask("document.querySelector('.warn.old').innerText"))
    rects = b.ask("[...document.querySelectorAll('.gantt svg')].map(s => [...s.querySelectorAll('rect')].map(r => [r.getAttribute('class'), parseFloat(r.getAttribute('x')), parseFloat(r.getAttribute('width'))]))")
    first = rects[0]
    t.check("lost work is not drawn as training", first[-1][0] == "s-lost" and first[-2][0] == "s-train" and abs(first[-2][1] + first[-2][2] - first[-1][1]) < 0.01, first)
    read(t, b, "stuck")


def check_interrupted(t, b, rig):
    open_job(b, rig, "interrupted")
    page = b.ask("document.querySelector('[data-key=interruptions]').innerText")
    t.check("300 interruptions: by cause, and the newest by node and hour", all(w in page for w in ("300: 200 NodeFailure, 100 OutOfMemory", "by node: tpu-", "by hour: 2026-11-21 0")), page[:600])
    numbers = b.ask("[...document.querySelectorAll('[data-key=interruptions] tbody tr:not(.texts)')].map(r => Number(r.firstChild.textContent))")
    t.check("300 interruptions: the newest one by one, the newest first", numbers == list(range(299, 284, -1)), numbers)
    cells = b.ask("Object.fromEntries([...document.querySelectorAll('[data-key=interruptions] tbody tr.texts')[0].querySelectorAll('[data-label]')].map(d => [d.dataset.label, d.innerText]))")
    heights = b.ask("[...document.querySelectorAll('[data-key=interruptions] tbody tr.texts')].map(r => r.getBoundingClientRect().height)")
    t.check("their texts are as wide as the page, not columns of words", max(heights) < 200, heights)
    t.check("an interruption has its root cause, its line and the signals of its nodes", all(w in cells["root cause"] for w in ("GPUHardware: Xid79", "slice 1/2", "GPU has fallen off the bus"))
            and "Xid79 on tpu-2" in cells["nodes showed"], cells)
    thin = b.ask("[...document.querySelectorAll('.gantt rect')].map(r => r.getBoundingClientRect().width).filter(w => w < 0.9)")
    t.check("no bar is thinner than a pixel", thin == [], thin)
    read(t, b, "interrupted")
    b.ask("document.querySelectorAll('[data-action=toggle]').forEach(x => x.click())")
    t.check("evidence is whole on demand", "posting the status of its node the kubelet stopped posting the status of its node" in b.ask("document.querySelector('tr.texts').innerText").replace("\n", " ")
            and b.ask("document.querySelectorAll('[data-action=toggle][aria-expanded=true]').length") > 30)
    read(t, b, "opened")
    open_list(b, rig, "#/?range=all")  # it was longer than a week ago
    b.ask("document.querySelector('[data-key=\"research/interrupted\"]').scrollIntoView()")
    b.until("document.querySelector('[data-key=\"research/interrupted\"] .strip rect')")
    mixed = b.ask("[...document.querySelectorAll('[data-key=\"research/interrupted\"] .s-mixed')].map(r => r.textContent)")
    t.check("states too short to see are merged, and say which", any("training" in m and ";" in m for m in mixed), mixed)


def view(b):
    return [int(x) for x in b.ask("document.querySelector('[data-zoom]').dataset.zoom").split("-")]


def check_zoom(t, b, rig):
    open_job(b, rig, "stuck")
    whole = view(b)
    b.key("w", "w")
    b.until("location.hash.includes('t=')")
    near = view(b)
    t.check("w zooms to half of the time, in its middle", abs((near[1] - near[0]) * 2 - (whole[1] - whole[0])) <= 2 and abs(sum(near) - sum(whole)) <= 2, (whole, near))
    axes = b.ask("[...document.querySelectorAll('.gantt .axis')].map(a => a.textContent)")
    t.check("executions and steps zoom together", len(axes) == 2 and axes[0] == axes[1], axes)
    outside = b.ask("[...document.querySelectorAll('.gantt rect, .gantt .cut, .gantt .saved')].map(r => parseFloat(r.getAttribute('x') || r.getAttribute('x1'))).filter(x => x < 0 || x > 100)")
    t.check("nothing is drawn outside of the axis", outside == [], outside)
    b.key("d", "d")
    t.check("d moves on, never past the end", view(b)[1] == whole[1] and view(b)[1] - view(b)[0] == near[1] - near[0], view(b))
    late = view(b)
    b.ask("location.reload()")
    b.until("!window.isFormer && document.querySelector('[data-zoom]')")
    t.check("the address keeps the view", view(b) == late, view(b))
    b.key("0", "0")
    t.check("0 shows the whole time", view(b) == whole and "t=" not in b.ask("location.hash"))
    b.ask("document.querySelector('.gantt svg').scrollIntoView({block: 'center'})")
    x, y, width = b.ask("(() => { const r = document.querySelector('.gantt svg').getBoundingClientRect(); return [r.left, r.top + 11, r.width]; })()")
    for kind, share in (("mousePressed", 0.2), ("mouseMoved", 0.3), ("mouseMoved", 0.4), ("mouseReleased", 0.4)):
        b.call("Input.dispatchMouseEvent", type=kind, x=x + share * width, y=y, button="left", buttons=1, clickCount=1)
    part = view(b)
    shares = [(p - whole[0]) / (whole[1] - whole[0]) for p in part]
    t.check("a drag zooms to what it covered", abs(shares[0] - 0.2) < 0.01 and abs(shares[1] - 0.4) < 0.01, shares)
    t.check("nothing of the drag is left", b.ask("document.querySelector('.shade') === null"))
    read(t, b, "zoomed")
    b.ask("document.querySelector('[data-move=all]').click()")
    t.check("the buttons do what the keys do", view(b) == whole)


def check_many(t, b, rig):
    """200 more jobs of a team: the list holds them, draws what is in sight, and counts what the filter left."""
    added = [shifted(named(TRAINING if i % 3 else STORY, f"many-{i:03d}", "crowd"), 30 * i) for i in range(200)]
    for job in added:
        job["spec"]["targetRef"]["name"] = job["metadata"]["name"]
        rig.put(job)
    open_list(b, rig, "#/?q=crowd&sort=name", [job["metadata"]["name"] for job in added])
    t.check("209 jobs: the tiles count those in the list", b.ask("document.querySelector('.tile').innerText").split() == ["200", "jobs", "of", "209"])
    b.until("document.querySelectorAll('svg.strip').length > 10")
    b.ask("document.querySelector('[data-key=\"crowd/many-150\"]').scrollIntoView()")
    b.until("document.querySelector('[data-key=\"crowd/many-150\"] svg.strip')")
    t.check("209 jobs: a row that comes into sight is drawn", True)
    read(t, b, "many")
    for job in added:
        rig.delete("crowd", job["metadata"]["name"])
    open_list(b, rig)


def check_zone(t, b, rig):
    b.call("Emulation.setTimezoneOverride", timezoneId="Asia/Kathmandu")
    open_job(b, rig, "done")
    times = "document.querySelector('[data-key=waterfall] .note').innerText"
    t.check("times are UTC at first", "from 2026-11-21 07:22:36 to" in b.ask(times), b.ask(times))
    b.ask("document.getElementById('zone').click()")
    read(t, b, "local-time")
    t.check("times can be local", "from 2026-11-21 13:07:36 to" in b.ask(times), b.ask(times))
    b.ask("document.getElementById('zone').click()")
    b.call("Emulation.setTimezoneOverride", timezoneId="")


def check_reports(t, b, rig):
    """Reports are files: of a JobGoodput and of a log alone. They zoom, too, and are never marked as old."""
    log = [f"tests/data/trainer-logs/torchtitan/restarts/attempt-{i}.log" for i in (1, 2, 3)]
    slow = ["analyze", "tests/tutorials/slow/first.log.gz", "--format-file", "tests/tutorials/slow/format.yaml"]
    for name, command in (("slow", slow), ("report", ["report", "-f", "tests/data/export/training.json"]), ("unobserved", ["report", "-f", "tests/data/cli/unobserved.json"]), ("analyze", ["analyze", *log])):
        path = os.path.abspath(f"{OUT}/{name}.html")
        subprocess.run([f"{BIN}/kubectl-goodput", *command, "--html", path], check=True, stdout=subprocess.DEVNULL)
        b.open("file://" + path)
        b.until("document.querySelector('[data-zoom]')")
        t.check(f"{name}: not marked as old, no link to a list", "old" not in b.ask("document.querySelector('[data-key=head]').innerText") and "all jobs" not in b.ask("document.body.innerText"))
        whole = view(b)
        b.key("w", "w")
        t.check(f"{name}: w zooms", view(b)[1] - view(b)[0] < whole[1] - whole[0], (whole, view(b)))
        b.key("0", "0")
        read(t, b, name)


def check_lost(t, b, rig):
    """The connection is lost: what is there stays, and says of when it is."""
    b.open("about:blank")
    open_list(b, rig)
    rig.processes[-1].terminate()
    rig.processes[-1].wait()
    b.until("!document.getElementById('notice').hidden")
    shown = b.ask("document.getElementById('notice').innerText")
    t.check("disconnected: the list stays, with the time of its numbers", "Not connected" in shown and re.search(r"as of 20\d\d-", shown) and b.ask("document.querySelectorAll('.fleet a').length") == len(JOBS), shown)
    t.check("disconnected: it is not called live", b.ask("document.getElementById('live').innerText") == "not connected, trying again")
    b.problems = [p for p in b.problems if "ERR_CONNECTION" not in p]
    read(t, b, "lost")
    b.ask("document.querySelector('[data-key=\"research/trains\"] a').click()")
    b.until("document.querySelector('h1')?.textContent === 'research/trains'")
    t.check("disconnected: a job that cannot be had is still loading, and the notice stays", "Loading" in b.ask("document.querySelector('main').innerText") and b.ask("!document.getElementById('notice').hidden"),
            b.ask("document.body.innerText"))
    b.problems = [p for p in b.problems if "ERR_CONNECTION" not in p]
    read(t, b, "lost-job")


def main():
    os.makedirs(OUT, exist_ok=True)
    t, rig, b = Tally(), Rig(flags=["--cluster-name=" + CLUSTER]), Browser()
    try:
        b.size(1280, 850)
        check_before_data(t, b, rig)
        put_jobs(rig)
        rig.put_fleet(FLEET)
        for check in (check_truth, check_fleetgoodput, check_address, check_cluster, check_many, check_patch, check_job, check_interrupted, check_zoom, check_colors, check_zone, check_reports, check_lost):
            check(t, b, rig)
        # The sign-in's and those behind it: shared.py.
        t.check("axe read at least 26 states here", len(READ) >= 26, sorted(READ))
        # The job that is not there and the controller that ended are asked for on purpose.
        b.problems = [p for p in b.problems if not re.search("404|ERR_CONNECTION|WebSocket connection", p)]
        t.check("the browser complained of nothing", not b.problems, b.problems)
    finally:
        b.close()
        rig.close()
    t.end()


main()
