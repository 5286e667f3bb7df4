"""axe reads a state of the page: wide and narrow, light and dark."""

OUT = ".build/page/states"
AXE = ".build/axe/node_modules/axe-core/axe.min.js"
RUN = """axe.run(document, {resultTypes: ['violations']}).then(r => r.violations.map(
    v => [v.id, v.nodes.length, v.nodes[0].html.slice(0, 200), v.nodes[0].failureSummary.slice(0, 300)]))"""
# The names of the states that were read.
READ = set()


def read(t, b, name):
    """No violation, and nothing is wider than the window. Pictures are left in OUT."""
    axe = open(AXE, encoding="utf-8").read()
    for scheme in ("light", "dark"):
        b.scheme(scheme)
        for width in (1280, 390):
            b.size(width, 850, is_phone=width < 500)
            b.ask("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")
            b.ask(axe + ";0")
            found = b.ask(RUN)
            t.check(f"axe: {name}, {width} px, {scheme}", found == [], found)
            wide = b.ask("document.documentElement.scrollWidth")
            t.check(f"fits: {name}, {width} px, {scheme}", wide <= width, wide)
            b.picture(f"{OUT}/{name}-{width}-{scheme}.png")
    READ.add(name)
    b.scheme("light")
    b.size(1280, 850)
