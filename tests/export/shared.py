#!/usr/bin/env python3
"""The shared page in a real browser: people sign in with a token of the cluster, each sees what they may list, and the
sign-in comes back when the token is known no longer. axe reads each state. Pictures are left in .build/page/states."""

import base64
import json
import os
import re
import ssl
import sys
import urllib.error
import urllib.request

sys.path.insert(0, os.path.dirname(__file__))
from axe import OUT, READ, read  # noqa: E402
from browser import Browser  # noqa: E402
from rig import Rig, Tally, wait_for  # noqa: E402

TRAINING = json.load(open("tests/data/export/training.json"))
NAMES = "[...document.querySelectorAll('.fleet .name')].map(e => e.firstChild.textContent).sort()"


def token(user):
    """As the embedded API server's TokenReview reads one."""
    return "e30." + base64.urlsafe_b64encode(json.dumps({"sub": user}).encode()).decode().rstrip("=") + ".signed"


ANNA, BEN, ADMIN = (token(user) for user in ("system:serviceaccount:research:anna", "system:serviceaccount:sales:ben", "admin"))


def job(name, namespace):
    return {**TRAINING, "metadata": {"name": name, "namespace": namespace}, "status": {k: v for k, v in TRAINING["status"].items() if k != "checkpoint"}}


def get(url, header=None):
    """Status and text."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=header or {}), context=context) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def sign_in(b, text):
    b.until("document.getElementById('token')")
    b.ask(f"(() => {{ document.getElementById('token').value = {json.dumps(text)}; document.querySelector('form button').click(); }})()")


def check_requests(t, page):
    for name, header in (("no token", {}), ("an unknown token", {"Authorization": "Bearer junk"}), ("another cookie", {"Cookie": "token=" + ADMIN})):
        t.check(f"{name}: the sign-in, and no data", get(page, header)[0] == 401 and "mine" not in get(page, header)[1])
        t.check(f"{name}: no job", get(page + "job?namespace=research&name=mine", header)[0] == 401)
        t.check(f"{name}: no fleet", get(page + "fleets", header)[0] == 401)
    mine, theirs = (page + f"job?namespace={n}" for n in ("research&name=mine", "sales&name=theirs"))
    t.check("a user's own job", get(mine, {"Authorization": "Bearer " + ANNA})[0] == 200)
    status, text = get(theirs, {"Cookie": "goodput-token=" + ANNA})
    t.check("another's job is as one that is not there", (status, text) == get(page + "job?namespace=sales&name=absent", {"Cookie": "goodput-token=" + ANNA}) and status == 404, (status, text))
    t.check("an administrator's look at it", get(theirs, {"Authorization": "Bearer " + ADMIN})[0] == 200)


def check_browser(t, b, rig, page):
    b.size(1000, 700)
    b.open(page)
    b.until("document.getElementById('token')")
    read(t, b, "sign-in")
    sign_in(b, "junk")
    b.until("document.getElementById('token') && !document.getElementById('notice').hidden")
    read(t, b, "sign-in-refused")
    t.check("an unknown token: the sign-in says so", "does not know this token" in b.ask("document.body.innerText"))
    sign_in(b, "x" * 5000)
    b.until("document.getElementById('notice').textContent.includes('4,000 characters')")
    read(t, b, "sign-in-too-long")
    sign_in(b, "  " + ANNA + "\n")
    b.until(f"{NAMES}.length > 0 && document.getElementById('live').textContent === 'live'")
    t.check("a user sees the own namespace's jobs", b.ask(NAMES) == ["mine"], b.ask(NAMES))
    read(t, b, "shared")
    rig.put(job("more-of-theirs", "sales"))
    rig.put(job("mine-too", "research"))
    b.until(f"{NAMES}.includes('mine-too')")
    t.check("new jobs come live, others' do not", b.ask(NAMES) == ["mine", "mine-too"], b.ask(NAMES))
    b.open(page + "#/job/research/mine")
    b.until("document.querySelector('h1')?.textContent === 'research/mine'")
    b.open(page + "#/job/sales/theirs")
    b.until("document.body.innerText.includes('There is no such JobGoodput')")
    read(t, b, "shared-refused")
    b.ask("document.cookie = 'goodput-token=gone; secure; samesite=strict'")
    rig.restart_controller()
    b.until("document.getElementById('token')", 90)
    t.check("a token that is known no longer leads to the sign-in", True)
    sign_in(b, BEN)
    b.until("document.querySelector('h1')?.textContent === 'sales/theirs'")
    t.check("another user may open it, at the same address", True)
    b.open(page + "#/")
    b.until(f"{NAMES}.length > 0")
    t.check("another user sees others", b.ask(NAMES) == ["more-of-theirs", "theirs"], b.ask(NAMES))


def main():
    os.makedirs(OUT, exist_ok=True)
    t, b = Tally(), Browser()
    rig = Rig(flags=["--shared-page-bind-address=127.0.0.1:0"])
    try:
        port = wait_for("the shared page", lambda: re.search(r'"page served","port":([0-9]+),"tls":true,"signIn":true', rig.text(rig.log))).group(1)
        rig.arguments[-1] = f"--shared-page-bind-address=127.0.0.1:{port}"
        page = f"https://localhost:{port}/"
        rig.put(job("mine", "research"))
        rig.put(job("theirs", "sales"))
        wait_for("the jobs", lambda: get(page + "job?namespace=sales&name=theirs", {"Authorization": "Bearer " + ADMIN})[0] == 200)
        check_requests(t, page)
        check_browser(t, b, rig, page)
        # Besides those of states.py.
        t.check("axe read at least 5 states here", len(READ) >= 5, sorted(READ))
        log = rig.text(rig.log)
        t.check("no token is in the log", all(x not in log for x in (ANNA, BEN, ADMIN)))
    finally:
        b.close()
        rig.close()
    t.end()


main()
