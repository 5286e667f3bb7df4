#!/usr/bin/env python3
"""The documents' thirteen pictures of the page, deploy/docs/images/page: the page's states without jobs as states.py and shared.py
left them behind, the others of the same jobs without their hostile texts, and with times of today.

Needs Pillow (python3-pil)."""

import copy
import json
import os
import sys

from PIL import Image

sys.path.insert(0, os.path.dirname(__file__))
from browser import Browser  # noqa: E402
from jobs import CLUSTER, FLEET, parsed, put_jobs, shifted  # noqa: E402
from opens import open_job, open_list  # noqa: E402
from rig import Rig  # noqa: E402

STATES, PICTURES = ".build/page/states", "deploy/docs/images/page"
OF_TESTS = ("disconnected", "empty", "loading", "sign-in", "slow")
HEIGHT = 2600  # what is below is cut off
PLAIN = {'evil\\u001b[31m': "vision-tpu", 'KueueEviction/Pods\\"Ready': "KueuePreemption"}
SECONDS_AGO = {"stuck": 2400, "interrupted": 30, "done": 86400, "digits": 50000, "blind": 20000}


def plain(item):
    text = json.dumps(item)
    for hostile, word in PLAIN.items():
        text = text.replace(hostile, word)
    return json.loads(text)


def scaled(job):
    """Its buckets as long as its times say."""
    status = job["status"]
    lost = status["time"]["wallMilliseconds"] - status["time"]["productiveMilliseconds"]
    ratio = lost / max(1, sum(bucket["milliseconds"] for bucket in status.get("badput", [])))
    for bucket in status.get("badput", []):
        bucket["milliseconds"] = round(bucket["milliseconds"] * ratio)
        bucket["share"] = f"{100 * bucket['milliseconds'] / status['time']['wallMilliseconds']:.2f}%"
    time = status["time"]
    ratios = (("scheduling", "available", "wall"), ("runtime", "productive", "available"), ("job", "productive", "wall"))
    for name, part, whole in ratios:
        status["goodput"][name] = f"{100 * time[part + 'Milliseconds'] / time[whole + 'Milliseconds']:.2f}%"
    status["goodput"].pop("runtimeUpperBound", None)
    return job


class PlainRig(Rig):
    def put(self, job):
        job = plain(job)
        name = job["metadata"]["name"]
        if name in SECONDS_AGO:
            job = shifted(job, SECONDS_AGO[name])
        super().put(scaled(job) if name == "interrupted" else job)


def save(name, path):
    picture = Image.open(path).convert("RGB")
    picture = picture.crop((0, 0, picture.width, min(picture.height, HEIGHT)))
    picture.quantize(64, dither=Image.Dither.NONE).save(f"{PICTURES}/{name}.png", optimize=True)
    print(f"{PICTURES}/{name}.png: {os.path.getsize(f'{PICTURES}/{name}.png')} bytes")


def take(b, name):
    b.ask("new Promise(r => setTimeout(r, 1000))")
    b.picture(f"{STATES}/plain-{name}.png")
    save(name, f"{STATES}/plain-{name}.png")


def take_jobs(b, rig):
    b.size(1280, 850)
    open_list(b, rig)
    b.until("document.querySelector('.fleetgoodput svg.fall')")
    take(b, "list")
    b.scheme("dark")
    take(b, "list-dark")
    b.scheme("light")
    b.size(390, 850, is_phone=True)
    take(b, "list-phone")
    b.size(1280, 850)
    for name in ("interrupted", "queued-again", "stuck"):
        open_job(b, rig, name)
        take(b, name)
    times = rig.get("research", "stuck")["status"]["time"]
    start, end = (int(parsed(times[key]).timestamp() * 1000) for key in ("start", "observedThrough"))
    b.open("about:blank")
    open_job(b, rig, "stuck", f"?t={start + (end - start) * 6 // 10}-{end}")
    b.until("document.querySelector('[data-zoom]')")
    take(b, "zoomed")
    open_list(b, rig)
    rig.processes[-1].terminate()
    b.until("!document.getElementById('notice').hidden")
    take(b, "lost")


def main():
    for name in OF_TESTS:
        save(name, f"{STATES}/{name}-1280-light.png")
    rig = PlainRig(flags=(f"--cluster-name={CLUSTER}",))
    browser = None
    try:
        put_jobs(rig)
        rig.put_fleet(plain(copy.deepcopy(FLEET)))
        browser = Browser()
        take_jobs(browser, rig)
    finally:
        if browser:
            browser.close()
        rig.close()


if __name__ == "__main__":
    main()
