"""The list and a job of put_jobs() (jobs.py) in the browser, once they are there whole."""

import json

NAMES = "[...document.querySelectorAll('.fleet .name')].map(e => e.firstChild.textContent)"
JOBS = sorted(["done", "stuck", "trains", "queued-again", "waits", "blind", "typo", "interrupted", "digits"])


def open_list(b, rig, fragment="", names=None):
    b.open("about:blank")
    b.open(rig.page + fragment)
    b.until(f"JSON.stringify({NAMES}.sort()) === {json.dumps(json.dumps(sorted(names or JOBS), separators=(',', ':')))}")


def open_job(b, rig, name, query=""):
    b.open(f"{rig.page}#/job/research/{name}{query}")
    b.until(f"document.querySelector('h1')?.textContent === 'research/{name}' && shown?.kind === 'job'")
