// The time axis of a job: its executions and its steps.

// The newest known checkpoint of an execution: the one from which the next execution resumed, else (for the last one
// with steps) the newest durable one. {step, at} or null; `at` is interpolated, since a status has no time of a save.
function newestCheckpoint(status, e, next) {
    const first = number(e, "firstStep"),
        last = number(e, "lastStep"),
        t0 = time(e, "firstStepAt"),
        t1 = time(e, "end") ?? time(status, "time.observedThrough");
    const resumed = next && number(next, "firstStep"),
        step = next ? (resumed === undefined ? undefined : resumed - 1) : number(status, "steps.lastDurable");
    if (step === undefined || first === undefined || t0 === undefined || step < first || step > last) return null;
    const lost = number(e, "lostWorkMilliseconds") ?? 0;
    const at = next && step < last && lost > 0 ? t1 - lost : t0 + ((t1 - t0) * (step - first + 1)) / (last - first + 1);
    return { step, at: Math.max(at, t0) };
}

// Saves in a log's trace (analyze --html): [{at, step, durable}] of one execution, one per step, no more than a chart
// can show.
function saves(job, from, to, span) {
    const found = new Map();
    for (const [at, step, durable] of points(job, "trace.saves"))
        if (at >= from && at < to && (!found.has(step) || durable))
            found.set(step, { at, step, durable: durable === 1 });
    const all = [...found.values()].sort((a, b) => a.at - b.at);
    return all.filter((s, i) => i === all.length - 1 || all[i + 1].at - s.at > span / 400);
}

// The time axis of executions and steps: from the first listed execution to the last known time.
function wholeOf(status) {
    const from = Math.min(
            ...list(status, "executions")
                .map((e) => time(e, "start"))
                .filter((t) => t !== undefined),
        ),
        to = time(status, "time.observedThrough");
    return isFinite(from) && to > from ? [from, to] : null;
}

// The part of the time axis that a person zoomed to, or null; it is kept in the address (t=FROM-TO).
let zoom = null;
const inView = (job, status) => {
    const whole = wholeOf(status);
    if (!whole || !zoom) return whole;
    const from = Math.max(zoom[0], whole[0]),
        to = Math.min(zoom[1], whole[1]);
    return to > from ? [from, to] : whole;
};

// One mark: a tick for a save, a cut for an interruption. "" if it is not in view.
function mark(kind, at, [from, to], words, attributes) {
    if (!(at >= from && at <= to)) return "";
    const x = pc(at, from, to).toFixed(4) + "%";
    return h("svg:line", { class: kind, x1: x, x2: x, ...attributes }, h("svg:title", null, words));
}

function saveMarks(job, status, executions, i, view) {
    const e = executions[i],
        tick = { y1: 0, y2: 22 };
    const logged = saves(
        job,
        time(e, "start") ?? view[0],
        executions[i + 1] ? (time(e, "end") ?? view[1]) : Infinity,
        view[1] - view[0],
    );
    if (logged.length)
        return logged.map((s) =>
            mark(
                s.durable ? "saved" : "saved started",
                s.at,
                view,
                `checkpoint of step ${s.step}${s.durable ? "" : ": not known to be durable"}, ${stamp(s.at)}`,
                { ...tick, "data-step": s.step },
            ),
        );
    const saved = newestCheckpoint(
        status,
        e,
        executions.slice(i + 1).find((n) => number(n, "firstStep") !== undefined),
    );
    return saved
        ? [mark("saved", saved.at, view, `newest checkpoint: step ${saved.step}`, { ...tick, "data-step": saved.step })]
        : [];
}

// The words at the end of an execution's row: its cause, or the phase of the job, which may be Queued again.
function executionEnd(status, e) {
    const where = [text(e, "node"), text(e, "nodePool") && `pool ${text(e, "nodePool")}`].filter(Boolean).join(", ");
    return text(e, "cause")
        ? [h("b", null, text(e, "cause")), where && h("span.soft", null, " ", where)]
        : h("span.soft", null, text(status, "phase").toLowerCase());
}

// A row per execution. The hatched end before an interruption is as long as the lost work.
function gantt(job, status, view) {
    const [from, to] = view,
        executions = list(status, "executions"),
        parts = segments(status);
    const box = h("div", { class: "gantt", "data-key": "gantt" });
    executions.forEach((e, i) => {
        const mine = parts.filter((s) => s.execution === e),
            name = text(e, "number");
        const svg = h("svg:svg", {
            role: "img",
            "data-key": "bar-" + name,
            "aria-label": `execution ${name}: ${mine.map((s) => `${STATES[s.state]} ${duration(s.to - s.from)}`).join(", ")}`,
        });
        for (const s of merged(mine, from, to)) {
            const rect = segmentBar(s, from, to, { y: 3, height: 16 });
            if (rect && s.state === "lost") rect.setAttribute("data-ms", number(e, "lostWorkMilliseconds"));
            svg.append(rect || "");
        }
        svg.append(...saveMarks(job, status, executions, i, view));
        if (text(e, "cause"))
            svg.append(
                mark("cut", time(e, "end"), view, `${text(e, "cause")}, ${stamp(time(e, "end"))}`, { y1: -1, y2: 23 }),
            );
        box.append(
            h("div", { class: "num soft", "data-key": "name-" + name }, "#" + name),
            svg,
            h("div", { class: "end", "data-key": "end-" + name }, executionEnd(status, e)),
        );
    });
    box.append(h("div", null), axis(from, to, isNarrow() ? 4 : 8), h("div.end"));
    return box;
}

// Perfetto's keys: w and s zoom, a and d move; the buttons do the same.
const MOVES = { in: [0.25, 0.75], out: [-0.5, 1.5], left: [-0.5, 0.5], right: [0.5, 1.5], all: null };
const MOVE_KEYS = { w: "in", s: "out", a: "left", d: "right", 0: "all" };
function zoomBar([from, to], whole) {
    const button = (move, words, label) =>
        h(
            "button",
            { type: "button", "data-action": "zoom", "data-move": move, "aria-label": label, title: label },
            words,
        );
    return h(
        "p",
        { class: "zoom note" },
        button("in", "+", "zoom in (w)"),
        button("out", "−", "zoom out (s)"),
        button("left", "◂", "earlier (a)"),
        button("right", "▸", "later (d)"),
        button("all", "all", "all: the whole time (0)"),
        h("span", { class: "num", "data-zoom": `${from}-${to}` }, ` ${stamp(from)} to ${stamp(to)}`),
        to - from < whole[1] - whole[0] ? ` (${duration(to - from)} of ${duration(whole[1] - whole[0])})` : "",
        " · drag over a chart to zoom",
    );
}

// Moves the view; never out of the job's time, never below a second.
function moved([from, to], whole, [a, b]) {
    const length = Math.min(Math.max((to - from) * (b - a), 1000), whole[1] - whole[0]);
    const middle = from + ((to - from) * (a + b)) / 2;
    const start = Math.min(Math.max(middle - length / 2, whole[0]), whole[1] - length);
    return [Math.round(start), Math.round(start + length)];
}

// Dragging over the charts: apply() is called with the new part.
function brush(box, current, apply) {
    let from = null,
        shade = null;
    const chart = (e) => e.target.closest(".gantt > svg:not(.axis)");
    const share = (svg, e) => {
        const r = svg.getBoundingClientRect();
        return Math.min(Math.max((e.clientX - r.left) / r.width, 0), 1);
    };
    box.addEventListener("pointerdown", (e) => {
        const svg = e.button === 0 && chart(e);
        if (!svg) return;
        from = { svg, at: share(svg, e) };
        shade = h("div.shade");
        document.body.append(shade);
        e.preventDefault();
    });
    addEventListener("pointermove", (e) => {
        if (!from) return;
        const r = from.svg.getBoundingClientRect(),
            at = share(from.svg, e);
        shade.style.left = r.left + scrollX + r.width * Math.min(at, from.at) + "px";
        shade.style.width = r.width * Math.abs(at - from.at) + "px";
        shade.style.top = r.top + scrollY + "px";
        shade.style.height = r.height + "px";
    });
    const end = (e) => {
        if (!from) return;
        const at = share(from.svg, e),
            [a, b] = [Math.min(at, from.at), Math.max(at, from.at)];
        shade.remove();
        from = null;
        const view = current();
        if (e.type === "pointerup" && view && b - a > 0.01) apply(moved(view, view, [a, b]));
    };
    addEventListener("pointerup", end);
    addEventListener("pointercancel", end);
}

// The time at which the line rises through a step.
function crossing(line, step) {
    const i = line.findIndex(([, s]) => s >= step);
    if (i <= 0) return i < 0 ? line[line.length - 1][0] : line[0][0];
    const [t0, s0] = line[i - 1],
        [t1, s1] = line[i];
    return s1 > s0 ? t0 + ((t1 - t0) * (step - s0)) / (s1 - s0) : t1;
}

// The step of a line at a time, the first or last one before or after it.
function stepAt(line, at) {
    const i = line.findIndex(([t]) => t >= at);
    if (i <= 0) return line[i < 0 ? line.length - 1 : 0][1];
    const [t0, s0] = line[i - 1],
        [t1, s1] = line[i];
    return t1 > t0 ? s0 + ((s1 - s0) * (at - t0)) / (t1 - t0) : s1;
}

// Steps over time: from the log's trace (analyze --html), else from the first and last step of each execution, with a
// straight line between them because nothing is known there.
function stairs(job, status, [from, to]) {
    const logged = points(job, "trace.steps"),
        through = time(status, "time.observedThrough");
    const runs = list(status, "executions")
        .map((e) => ({
            e,
            t0: time(e, "firstStepAt"),
            t1: time(e, "end") ?? through,
            s0: number(e, "firstStep"),
            s1: number(e, "lastStep"),
            lost: number(e, "lostSteps") ?? 0,
        }))
        .filter((r) => r.t0 !== undefined && r.t1 > r.t0 && r.s0 !== undefined && r.s1 >= r.s0);
    if (!runs.some((r) => r.t1 > from && r.t0 < to)) return null;
    for (const r of runs) {
        const inside = logged.filter(([t, s]) => t > r.t0 && t <= r.t1 && s >= r.s0 && s <= r.s1);
        r.line =
            inside.length > 1
                ? [[r.t0, r.s0], ...inside]
                : [
                      [r.t0, r.s0],
                      [r.t1, r.s1],
                  ];
    }
    const seen = runs.filter((r) => r.t1 > from && r.t0 < to);
    const low = Math.floor(Math.min(...seen.map((r) => stepAt(r.line, from)))),
        high = Math.ceil(Math.max(...seen.map((r) => stepAt(r.line, to)), low)) + 1;
    const X = (t) => pc(t, from, to),
        Y = (s) => 100 - pc(s, low, high);
    const svg = h("svg:svg", {
        class: "stairs",
        role: "img",
        "aria-label": runs
            .map((r) => `execution ${text(r.e, "number")}: steps ${r.s0} to ${r.s1}${r.lost ? `, ${r.lost} lost` : ""}`)
            .join("; "),
    });
    const inner = h("svg:svg", {
        width: "100%",
        height: "100%",
        viewBox: "0 0 100 100",
        preserveAspectRatio: "none",
        overflow: zoom ? "hidden" : "visible",
    });
    const point = ([t, s]) => `${X(t).toFixed(3)},${Y(s).toFixed(3)}`;
    runs.forEach((r, i) => {
        const kept = Math.max(r.s1 - r.lost, r.s0),
            cross = crossing(r.line, kept),
            end = r.line[r.line.length - 1];
        if (r.lost > 0 && text(r.e, "cause"))
            inner.append(
                h(
                    "svg:polygon",
                    {
                        class: "area",
                        points: [[cross, kept], ...r.line.filter(([t]) => t > cross), [end[0], kept]]
                            .map(point)
                            .join(" "),
                    },
                    h("svg:title", null, `${r.lost} steps lost`),
                ),
            );
        inner.append(
            h(
                "svg:polyline",
                { class: "line", "vector-effect": "non-scaling-stroke", points: r.line.map(point).join(" ") },
                h("svg:title", null, `#${text(r.e, "number")}: steps ${r.s0} to ${r.s1}`),
            ),
        );
        if (runs[i + 1])
            inner.append(
                h("svg:line", {
                    class: "fall",
                    "vector-effect": "non-scaling-stroke",
                    x1: X(end[0]),
                    y1: Y(end[1]),
                    x2: X(runs[i + 1].t0),
                    y2: Y(runs[i + 1].s0),
                }),
            );
    });
    for (const v of numberTicks(low, high - 1, 5))
        svg.append(
            h("svg:line", { class: "tick", x1: 0, x2: "100%", y1: Y(v) + "%", y2: Y(v) + "%" }),
            h(
                "svg:text",
                { x: 0, y: Y(v) + "%", dx: -7, dy: 4, "text-anchor": "end" },
                v < 10000 ? v.toLocaleString("en") : v.toLocaleString("en", { notation: "compact" }),
            ),
        );
    svg.append(inner);
    const sum = [
        pick(status, "steps.retained") !== undefined &&
            h(
                "div",
                null,
                h("b.num", null, number(status, "steps.retained").toLocaleString("en")),
                h("span.soft", null, " steps kept"),
            ),
        number(status, "steps.repeated") > 0 &&
            h(
                "div",
                null,
                h("b.num", null, number(status, "steps.repeated").toLocaleString("en")),
                h("span.soft", null, " done again"),
            ),
    ];
    return h(
        "div",
        { class: "gantt", "data-key": "steps" },
        h("div", null),
        svg,
        h("div", { class: "end sum" }, sum),
        h("div", null),
        axis(from, to, isNarrow() ? 4 : 8),
        h("div.end"),
    );
}
