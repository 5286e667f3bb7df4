#!/usr/bin/env python3
"""The commands of deploy/docs/tutorials that need a cluster, run word for word as far as this machine can.

    guides.py FILE START   prints the one command in a guide's blocks that begins with START, and notes that it was tried

A command is what a block (four spaces) holds from one line that begins at its margin to the next; a here-document belongs to
it. Those that need another's cloud or another's cluster are left out: ELSEWHERE names what they begin with. Every other
command of the guides must have been tried in the end, or the test fails.
"""
import os
import re
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))
DOCS = os.path.join(ROOT, "deploy", "docs")
GUIDES = ("tutorials/gke.md", "tutorials/gke-jobsets.md", "tutorials/kind.md", "tutorials/queue.md")
ELSEWHERE = ("gcloud ", "docker ", "kind ", "minikube ", "export ", "--set ")


def commands(guide):
    """All commands of a guide, in order."""
    with open(os.path.join(DOCS, guide), encoding="utf-8") as file:
        lines = file.read().split("\n")
    found, waiting_for = [], None  # waiting_for: the word that ends a here-document
    for before, line in zip([""] + lines, lines):
        if not line.startswith("    "):
            if waiting_for and not line:
                found[-1] += "\n"
            continue
        text = line[4:]
        if waiting_for or text.startswith(" ") or before.endswith("\\"):
            found[-1] += "\n" + text
        else:
            found.append(text)
            heredoc = re.search(r"<<-?'?(\w+)", text)
            waiting_for = heredoc.group(1) if heredoc else None
            continue
        if text == waiting_for:
            waiting_for = None
    return found


def words(command):
    """The command without its comment and its line breaks, by which it is known."""
    return " ".join(re.sub(r"\\\n|\s# .*", " ", command).split())


def tried_file(run):
    return os.path.join(run, "tried-commands")


def take(guide, start, run):
    """The one command of the guide that begins so."""
    found = {words(c): c for c in commands(guide) if words(c).startswith(start)}
    if len(found) != 1:
        raise LookupError(f"{guide} has {len(found)} commands that begin with: {start}")
    known, command = found.popitem()
    with open(tried_file(run), "a", encoding="utf-8") as file:
        file.write(known + "\n")
    return command


def untried(run):
    """How many commands there are; those of another's cloud or tool; and those that were not tried."""
    with open(tried_file(run), encoding="utf-8") as file:
        tried = set(file.read().splitlines())
    everything = [(guide, words(command)) for guide in GUIDES for command in commands(guide)]
    left_out = [f"{g}: {w}" for g, w in everything if w.startswith(ELSEWHERE)]
    return len(everything), left_out, [f"{g}: {w}" for g, w in everything if not (w in tried or w.startswith(ELSEWHERE))]


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    print(take(sys.argv[1], sys.argv[2], os.environ["RUN"]))
