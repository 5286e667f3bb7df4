"""The colors of the page, as the browser computes them: contrast, families, and a pair that differs without hue."""

from opens import open_job, open_list

LUMINANCE = """const lum = c => { const v = c.match(/[\\d.]+/g).slice(0, 3).map(x => x / 255).map(x => x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
    return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2]; };
    const ratio = (a, b) => { const [x, y] = [lum(a), lum(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
    const fill = e => getComputedStyle(e).fill; const of = kind => { const r = document.createElementNS('http://www.w3.org/2000/svg', 'rect'); r.setAttribute('class', kind); document.querySelector('svg.defs').append(r);
    const c = fill(r); r.remove(); return c; };"""


def check_colors(t, b, rig):
    for scheme in ("light", "dark"):
        b.scheme(scheme)
        open_job(b, rig, "trains")
        found = b.ask("(() => {" + LUMINANCE + "return [...document.querySelectorAll('.on-bar')].map(e => [e.textContent, ratio(fill(e), fill(e.parentNode.querySelector('rect')))]); })()")
        t.check(f"{scheme}: text on bars has the contrast of AA", len(found) > 3 and all(r >= 4.5 for _, r in found), found)
        weak = b.ask("(() => {" + LUMINANCE + "return ['scheduling', 'runtime', 'productive', 'wall'].map(f => [f, ratio(of('on-bar'), of('f-' + f))]).filter(([, r]) => !(r >= 4.5)); })()")
        t.check(f"{scheme}: text on a bar of any family has that contrast", weak == [], weak)
        pair = b.ask("(() => {" + LUMINANCE + "return ratio(of('blind-ground'), of('suspended-ground')); })()")
        t.check(f"{scheme}: steps not known and suspended differ without hue", pair >= 2.5, pair)
        open_list(b, rig)
        b.until("document.querySelector('svg.fall')")
        same = b.ask("(() => {" + LUMINANCE + "return [...document.querySelectorAll('svg.fall rect')].map(r => [r.textContent.split(':')[0], fill(r), of('f-runtime'), of('f-productive')]); })()")
        colors = {n: c for n, c, *_ in same}
        t.check(f"{scheme}: the fleet's bar has the colors of families", colors["WastedProgress"] == colors["ProgramStartup"] == same[0][2] and colors["Productive"] == same[0][3] and colors["Idle"] not in same[0][2:], same)
        t.check(f"{scheme}: the fleet's bar has a legend", "there, not training" in b.ask("document.querySelector('.fleetgoodput .legend').innerText"))
    b.scheme("light")
