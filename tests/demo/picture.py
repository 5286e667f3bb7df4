#!/usr/bin/env python3
"""The picture of the README: plays the demo, opens what `kubectl goodput report` wrote, and keeps two of its charts as one SVG.

    picture.py SVG [REPORT.HTML]     without a report the demo is played first, which takes 75 seconds

The report draws itself in a browser. Each shape and each line of text is copied from there with its place and its colors."""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "export"))
from browser import Browser  # noqa: E402

WIDTH = 960
# From the heading `first` to what precedes the heading `last`: what is drawn in it, as the elements of an SVG.
COPY = """
((first, last) => {
    const heads = [...document.querySelectorAll("main h2")];
    const top = heads.find((h) => h.textContent === first).getBoundingClientRect().top - 8;
    const bottom = heads.find((h) => h.textContent === last).getBoundingClientRect().top - 16;
    const escape = (s) => s.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
    const number = (n) => String(Math.round(n * 10) / 10);
    const out = [];
    function shape(e) {
        const box = e.getBoundingClientRect(), style = getComputedStyle(e);
        if (box.bottom < top || box.top > bottom) return;
        const stroke = style.stroke === "none" ? "" : ` stroke="${style.stroke}" stroke-width="${parseFloat(style.strokeWidth)}"`;
        const at = e.getScreenCTM();
        if (e.localName === "line") {
            const p = ["x1", "y1", "x2", "y2"].map((n) => e[n].baseVal.value);
            out.push(`<line x1="${number(p[0] + at.e)}" y1="${number(p[1] + at.f - top)}" x2="${number(p[2] + at.e)}" y2="${number(p[3] + at.f - top)}"${stroke}/>`);
        } else if (box.width > 0) {
            const fill = style.fill.startsWith("url") ? "url(#lost)" : style.fill;
            out.push(`<rect x="${number(box.left)}" y="${number(box.top - top)}" width="${number(box.width)}" height="${number(box.height)}" fill="${fill}"/>`);
        }
    }
    function words(node) {
        const range = document.createRange(), style = getComputedStyle(node.parentElement), lines = [];
        for (let i = 0; i < node.length; i++) {
            range.setStart(node, i);
            range.setEnd(node, i + 1);
            const box = range.getBoundingClientRect();
            if (box.width === 0) continue;
            const line = lines.find((l) => Math.abs(l.bottom - box.bottom) < 2);
            if (line) line.text += node.data[i];
            else lines.push({ left: box.left, bottom: box.bottom, height: box.height, text: node.data[i] });
        }
        const color = node.parentElement.namespaceURI.endsWith("svg") ? style.fill : style.color;
        for (const l of lines)
            if (l.text.trim() && l.bottom > top && l.bottom < bottom)
                out.push(`<text x="${number(l.left)}" y="${number(l.bottom - top - l.height * 0.24)}" font-size="${parseFloat(style.fontSize)}" font-weight="${style.fontWeight}" fill="${color}">${escape(l.text.trim())}</text>`);
    }
    function walk(node) {
        if (node.nodeType === 3) words(node);
        else if (["rect", "line"].includes(node.localName)) shape(node);
        else if (node.classList?.contains("note")) return;
        else if (!["title", "defs", "pattern", "style"].includes(node.localName)) node.childNodes.forEach(walk);
    }
    walk(document.querySelector("main"));
    return { height: Math.ceil(bottom - top), shapes: out.join("\\n") };
})("Where the time went", "Steps")
"""


def extract(report, svg):
    browser = Browser()
    try:
        browser.size(WIDTH, 1400)
        browser.scheme("light")
        browser.open(pathlib.Path(report).absolute().as_uri())
        browser.until("[...document.querySelectorAll('main h2')].some((h) => h.textContent === 'Steps')")
        picture = browser.ask(COPY)
    finally:
        browser.close()
    with open(svg, "w", encoding="utf-8") as out:
        out.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {picture["height"]}" '
                  'font-family="system-ui, DejaVu Sans, sans-serif">\n'
                  "<title>Where the time of the demo's job went, and its executions</title>\n"
                  '<defs><pattern id="lost" width="6" height="6" patternTransform="rotate(45)" patternUnits="userSpaceOnUse">'
                  '<rect width="2" height="6" fill="#8a1c00"/></pattern></defs>\n'
                  f'<rect width="100%" height="100%" fill="#ffffff"/>\n{picture["shapes"]}\n</svg>\n')


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    if len(sys.argv) == 3:
        extract(sys.argv[2], sys.argv[1])
        return
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.html")
        subprocess.run(["tests/demo/demo.sh"], env={**os.environ, "REPORT": report}, check=True)
        extract(report, sys.argv[1])


if __name__ == "__main__":
    main()
