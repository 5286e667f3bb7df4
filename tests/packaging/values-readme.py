#!/usr/bin/env python3
"""values-readme.py: the table of the chart's README, made from values.yaml and its comments. --check compares."""

import re
import sys

CHART = "helm/goodput-controller"
BEGIN, END = "<!-- values: made by tests/packaging/values-readme.py -->\n", "<!-- /values -->\n"


def rows(lines):
    """(path, default, comment) of every value; a comment stands above its value. Nested examples are cut to one line."""
    path, comment, out = [], [], []
    for line in lines:
        text = line.strip()
        if text.startswith("#"):
            comment.append(text.lstrip("# "))
            continue
        match = re.match(r"^( *)([A-Za-z_/.-]+):(?: (.*))?$", line)
        if not match:
            comment = []
            continue
        depth = len(match[1]) // 2
        path = path[:depth] + [match[2]]
        default = (match[3] or "").strip()
        if default or comment:
            out.append((".".join(path), default, " ".join(comment)))
        comment = []
    return out


def main():
    with open(f"{CHART}/values.yaml") as source:
        table = rows(source.read().split("\n", 1)[1].split("\n"))
    unexplained = [path for path, default, comment in table if default and not comment]
    if unexplained:
        raise SystemExit(f"{CHART}/values.yaml says nothing of {', '.join(unexplained)}: a comment goes above each")
    made = "| value | default | meaning |\n|---|---|---|\n"
    for path, default, comment in table:
        shown = f"`{default}`" if default and default != '""' else ""
        made += f"| `{path}` | {shown} | {comment.replace('|', '/')} |\n"
    with open(f"{CHART}/README.md") as readme:
        text = readme.read()
    head, rest = text.split(BEGIN)
    tail = rest.split(END)[1]
    fresh = head + BEGIN + made + END + tail
    if "--check" in sys.argv:
        if fresh != text:
            print(f"{CHART}/README.md differs from values.yaml: run tests/packaging/values-readme.py")
        raise SystemExit(fresh != text)
    with open(f"{CHART}/README.md", "w") as readme:
        readme.write(fresh)


main()
