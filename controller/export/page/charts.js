// The charts. Positions are percentages, so that a change of the window's width needs no redraw.

const pc = (value, from, to) => (to > from ? (100 * (value - from)) / (to - from) : 0);
const bar = (kind, x, width, attributes, title) => {
    const rect = h("svg:rect", {
        class: kind,
        x: x.toFixed(4) + "%",
        width: Math.max(width, 0).toFixed(4) + "%",
        ...attributes,
    });
    if (title) rect.append(h("svg:title", null, title));
    return rect;
};

const STATES = {
    wait: "waiting for machines",
    recover: "waiting after an interruption",
    start: "starting",
    train: "training",
    blind: "machines there, steps not known",
    suspended: "suspended",
    unknown: "not kept",
};

// The states of a job over time, from its status: [{state, from, to, execution}], without gaps.
function segments(status) {
    const through = time(status, "time.observedThrough"),
        started = time(status, "time.start");
    if (through === undefined || started === undefined) return [];
    const executions = list(status, "executions"),
        parts = [];
    const knowsSteps = pick(status, "steps") !== undefined;
    const add = (state, from, to, execution) => {
        if (to > from) parts.push({ state, from, to, execution });
    };
    executions.forEach((e, i) => {
        const from = time(e, "start") ?? started,
            to = time(e, "end") ?? through;
        const available = Math.min(time(e, "availableAt") ?? to, to),
            first = Math.min(time(e, "firstStepAt") ?? to, to);
        if (i === 0) add("unknown", started, from);
        add(i > 0 || from > started ? "recover" : "wait", from, available, e);
        add(knowsSteps ? "start" : "blind", available, first, e);
        add("train", first, to, e);
    });
    if (executions.length === 0) add("wait", started, through);
    const since = time(status, "phaseSince");
    if (text(status, "phase") === "Suspended" && since !== undefined && parts.length) {
        const last = parts[parts.length - 1];
        last.to = Math.max(last.from, Math.min(last.to, since));
        add("suspended", Math.max(since, last.from), through);
    }
    return parts;
}

function legend(entries) {
    const sample = (kind) =>
        /^(saved|cut)/.test(kind)
            ? h("svg:line", { class: kind, x1: 6, x2: 6, y1: 0, y2: 12 })
            : h("svg:rect", { class: kind, width: 12, height: 12 });
    return h(
        "ul",
        { class: "legend" },
        entries.map(([kind, words]) => h("li", null, h("svg:svg", { "aria-hidden": "true" }, sample(kind)), words)),
    );
}

function strip(status, from, to) {
    const svg = h("svg:svg", { class: "strip", role: "img", "aria-label": stripWords(status) });
    for (const s of segments(status)) {
        if (s.to < from || s.from > to) continue;
        const a = Math.max(s.from, from),
            b = Math.min(s.to, to);
        svg.append(
            bar(
                "s-" + s.state,
                pc(a, from, to),
                pc(b, from, to) - pc(a, from, to),
                { height: "100%" },
                `${STATES[s.state]}: ${duration(s.to - s.from)} from ${stamp(s.from)}`,
            ),
        );
    }
    if (text(status, "phase") === "Failed") {
        const end = time(status, "time.end");
        if (end >= from && end <= to)
            svg.append(
                h("svg:rect", { class: "s-failed", x: pc(end, from, to).toFixed(3) + "%", width: 4, height: "100%" }),
            );
    }
    return svg;
}
function stripWords(status) {
    const sums = {};
    for (const s of segments(status)) sums[s.state] = (sums[s.state] || 0) + s.to - s.from;
    return (
        Object.keys(sums)
            .map((k) => `${STATES[k]} ${duration(sums[k])}`)
            .join(", ") || "no times yet"
    );
}

function axis(from, to, max) {
    const svg = h("svg:svg", { class: "axis", "aria-hidden": "true" });
    for (const t of timeTicks(from, to, max)) {
        const x = pc(t, from, to);
        svg.append(
            h("svg:line", { class: "tick", x1: x + "%", x2: x + "%", y1: 0, y2: 4 }),
            h(
                "svg:text",
                { x: x + "%", y: 15, "text-anchor": x < 4 ? "start" : x > 96 ? "end" : "middle" },
                clock(t, to - from),
            ),
        );
    }
    return svg;
}

// The buckets as steps from wall time down to productive time, from the status: the widths of all bars but the first
// add up to the first.
function waterfallRows(status) {
    const wall = number(status, "time.wallMilliseconds"),
        available = number(status, "time.availableMilliseconds"),
        productive = number(status, "time.productiveMilliseconds");
    const rows = [{ kind: "sum", family: "wall", name: "wall time", ms: wall, at: 0, share: "100.00%" }];
    let left = wall;
    const part = (b) => {
        const ms = number(b, "milliseconds") ?? 0;
        left -= ms;
        const family = text(b, "bucket") === "Unobserved" ? "unobserved" : text(b, "family").toLowerCase();
        rows.push({
            kind: "part",
            family,
            name: text(b, "bucket"),
            ms,
            at: left,
            share: text(b, "share") || percent(ms, wall),
            bucket: b,
        });
    };
    const buckets = list(status, "badput").filter((b) => number(b, "milliseconds") > 0);
    buckets.filter((b) => text(b, "family") === "Scheduling").forEach(part);
    rows.push({
        kind: "sum",
        family: "wall",
        name: "available",
        ms: available,
        at: 0,
        share: percent(available, wall),
    });
    buckets.filter((b) => text(b, "family") !== "Scheduling").forEach(part);
    if (productive !== undefined)
        rows.push({
            kind: "sum",
            family: "productive",
            name: "productive",
            ms: productive,
            at: 0,
            share: percent(productive, wall),
        });
    return rows;
}

function waterfall(status) {
    const wall = number(status, "time.wallMilliseconds");
    const box = h("div", { class: "falls" });
    waterfallRows(status).forEach((row, i) => {
        const width = (100 * row.ms) / wall,
            x = (100 * row.at) / wall;
        const svg = h(
            "svg:svg",
            { "aria-hidden": "true" },
            bar(
                "bar f-" + row.family,
                x,
                width,
                { y: 2, height: 14, rx: 1, "data-ms": row.ms, "data-at": row.at, "data-bucket": row.name },
                `${row.name}: ${row.ms} ms`,
            ),
        );
        if (width > (isNarrow() ? 20 : 9))
            svg.append(
                h(
                    "svg:text",
                    { class: "on-bar", x: (x + width / 2).toFixed(3) + "%", y: 13, "text-anchor": "middle" },
                    row.share,
                ),
            );
        else if (x > 20)
            svg.append(
                h(
                    "svg:text",
                    { class: "by-bar", x: x.toFixed(3) + "%", dx: -6, y: 13, "text-anchor": "end" },
                    row.share,
                ),
            );
        else svg.append(h("svg:text", { class: "by-bar", x: (x + width).toFixed(3) + "%", dx: 6, y: 13 }, row.share));
        // A line down to the next bar, which begins where this one ends.
        const edge = (row.kind === "sum" ? x + width : x).toFixed(4) + "%";
        if (row.name !== "productive") svg.append(h("svg:line", { class: "drop", x1: edge, x2: edge, y1: 16, y2: 30 }));
        const evidence =
            row.bucket &&
            [
                text(row.bucket, "basis"),
                number(row.bucket, "count") > 0 && `${number(row.bucket, "count")}×`,
                text(row.bucket, "evidence") || "no line of evidence",
            ]
                .filter(Boolean)
                .join(" · ");
        const id = "why-" + i;
        const why = evidence && h("div", { class: "why", id, hidden: true }, evidence);
        const label = evidence
            ? h(
                  "button",
                  {
                      type: "button",
                      "aria-expanded": "false",
                      "aria-controls": id,
                      click: (e) => {
                          why.hidden = !why.hidden;
                          e.currentTarget.setAttribute("aria-expanded", String(!why.hidden));
                      },
                  },
                  row.name,
              )
            : row.name;
        box.append(
            h(
                "div",
                { class: "row " + row.kind },
                h("div", { class: "label" }, label),
                h("div", { class: "bar-box" }, svg),
                h("div", { class: "value num" }, duration(row.ms)),
                h("div", { class: "value num soft" }, row.share),
            ),
            why || "",
        );
    });
    return box;
}

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
function span(status) {
    const from = Math.min(
            ...list(status, "executions")
                .map((e) => time(e, "start"))
                .filter((t) => t !== undefined),
        ),
        to = time(status, "time.observedThrough");
    return isFinite(from) && to > from ? [from, to] : null;
}

// A row per execution. The hatched end before an interruption is as long as the lost work.
function gantt(job, status, [from, to]) {
    const executions = list(status, "executions"),
        parts = segments(status);
    const box = h("div", { class: "gantt" });
    executions.forEach((e, i) => {
        const svg = h("svg:svg", {
            role: "img",
            "aria-label": parts
                .filter((s) => s.execution === e)
                .map((s) => `${STATES[s.state]} ${duration(s.to - s.from)}`)
                .join(", "),
        });
        for (const s of parts.filter((s) => s.execution === e)) {
            svg.append(
                bar(
                    "s-" + s.state,
                    pc(s.from, from, to),
                    pc(s.to, from, to) - pc(s.from, from, to),
                    { y: 3, height: 16 },
                    `${STATES[s.state]}: ${duration(s.to - s.from)} from ${stamp(s.from)}`,
                ),
            );
            const lost = Math.min(number(e, "lostWorkMilliseconds") ?? 0, s.to - s.from);
            if (s.state === "train" && lost > 0)
                svg.append(
                    bar(
                        "lost",
                        pc(s.to - lost, from, to),
                        pc(s.to, from, to) - pc(s.to - lost, from, to),
                        { y: 3, height: 16, "data-ms": number(e, "lostWorkMilliseconds") },
                        `work lost: ${duration(number(e, "lostWorkMilliseconds"))}`,
                    ),
                );
        }
        const tick = (kind, at, step, words) => {
            const x = pc(at, from, to).toFixed(4) + "%";
            svg.append(
                h(
                    "svg:line",
                    { class: kind, x1: x, x2: x, y1: 0, y2: 22, "data-step": step },
                    h("svg:title", null, words),
                ),
            );
        };
        const logged = saves(
            job,
            time(e, "start") ?? from,
            executions[i + 1] ? (time(e, "end") ?? to) : Infinity,
            to - from,
        );
        for (const s of logged)
            tick(
                s.durable ? "saved" : "saved started",
                s.at,
                s.step,
                `checkpoint of step ${s.step}${s.durable ? "" : ": not known to be durable"}, ${stamp(s.at)}`,
            );
        const saved = logged.length
            ? null
            : newestCheckpoint(
                  status,
                  e,
                  executions.slice(i + 1).find((n) => number(n, "firstStep") !== undefined),
              );
        if (saved) tick("saved", saved.at, saved.step, `newest checkpoint: step ${saved.step}`);
        if (text(e, "cause") && time(e, "end") !== undefined) {
            const x = pc(time(e, "end"), from, to).toFixed(4) + "%";
            svg.append(
                h(
                    "svg:line",
                    { class: "cut", x1: x, x2: x, y1: -1, y2: 23 },
                    h("svg:title", null, `${text(e, "cause")}, ${stamp(time(e, "end"))}`),
                ),
            );
        }
        const where = [text(e, "node"), text(e, "nodePool") && `pool ${text(e, "nodePool")}`]
            .filter(Boolean)
            .join(", ");
        const end = text(e, "cause")
            ? [h("b", null, text(e, "cause")), where && h("span", { class: "soft" }, " ", where)]
            : time(e, "end") === undefined && pick(status, "time.end") === undefined
              ? h("span", { class: "soft" }, "running")
              : h("span", { class: "soft" }, text(status, "phase").toLowerCase());
        box.append(h("div", { class: "num soft" }, "#" + text(e, "number")), svg, h("div", { class: "end" }, end));
    });
    box.append(h("div", null), axis(from, to, isNarrow() ? 4 : 8), h("div", { class: "end" }));
    return box;
}

// The time at which the line rises through a step.
function crossing(line, step) {
    const i = line.findIndex(([, s]) => s >= step);
    if (i <= 0) return i < 0 ? line[line.length - 1][0] : line[0][0];
    const [t0, s0] = line[i - 1],
        [t1, s1] = line[i];
    return s1 > s0 ? t0 + ((t1 - t0) * (step - s0)) / (s1 - s0) : t1;
}

// Steps over time: from the log's trace (analyze --html), else from the first and last step of each execution, with a
// straight line between them because nothing is known there.
function stairs(job, status, [from, to]) {
    const logged = points(job, "trace.steps");
    const runs = list(status, "executions")
        .map((e) => ({
            e,
            t0: time(e, "firstStepAt"),
            t1: time(e, "end") ?? to,
            s0: number(e, "firstStep"),
            s1: number(e, "lastStep"),
            lost: number(e, "lostSteps") ?? 0,
        }))
        .filter((r) => r.t0 !== undefined && r.t1 > r.t0 && r.s0 !== undefined && r.s1 >= r.s0);
    if (runs.length === 0) return null;
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
    const low = Math.min(...runs.map((r) => r.s0)),
        high = Math.max(...runs.map((r) => r.s1)) + 1;
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
        overflow: "visible",
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
                h("b", { class: "num" }, number(status, "steps.retained").toLocaleString("en")),
                h("span", { class: "soft" }, " steps kept"),
            ),
        number(status, "steps.repeated") > 0 &&
            h(
                "div",
                null,
                h("b", { class: "num" }, number(status, "steps.repeated").toLocaleString("en")),
                h("span", { class: "soft" }, " done again"),
            ),
    ];
    return h(
        "div",
        { class: "gantt" },
        h("div", null),
        svg,
        h("div", { class: "end sum" }, sum),
        h("div", null),
        axis(from, to, isNarrow() ? 4 : 8),
        h("div", { class: "end" }),
    );
}

function windowName(w) {
    const whole = 1000 * (number(w, "windowSeconds") ?? 0),
        covered = number(w, "milliseconds") ?? whole;
    const words = (ms) => duration(ms).replace(/ 00 [a-z]$/, "");
    return covered < whole ? `last ${words(whole)} (${words(covered)} so far)` : `last ${words(whole)}`;
}

// The windows as bars: the productive part of the last hour or day, and the losses that took the rest.
function windowBars(status) {
    const box = h("div", { class: "falls windows" });
    const share = (v) => {
        const n = parseFloat(v);
        return isFinite(n) ? n : undefined;
    };
    for (const w of list(status, "windows")) {
        const scheduling = share(text(w, "scheduling")),
            kept = share(text(w, "job")),
            svg = h("svg:svg", { "aria-hidden": "true" });
        const put = (kind, x, width, words) =>
            width > 0 && svg.append(bar("bar " + kind, x, width, { y: 2, height: 14, rx: 1 }, words));
        if (scheduling !== undefined) {
            if (kept === undefined)
                put("f-wall", 0, scheduling, `machines there: ${text(w, "scheduling")}; steps not known`);
            else {
                put("f-productive", 0, kept, `kept: ${text(w, "job")}`);
                put("f-runtime", kept, scheduling - kept, `there, not training: ${(scheduling - kept).toFixed(2)}%`);
            }
            put("f-scheduling", scheduling, 100 - scheduling, `machines not there: ${(100 - scheduling).toFixed(2)}%`);
            if (kept > 14)
                svg.append(
                    h(
                        "svg:text",
                        { class: "on-bar", x: (kept / 2).toFixed(3) + "%", y: 13, "text-anchor": "middle" },
                        text(w, "job"),
                    ),
                );
        }
        const n = number(w, "interruptions");
        box.append(
            h(
                "div",
                { class: "row", "data-window": text(w, "windowSeconds") },
                h("div", { class: "label" }, windowName(w)),
                h("div", { class: "bar-box" }, svg),
                h("div", { class: "value num" }, text(w, "job") || "–"),
                h(
                    "div",
                    { class: "value soft" },
                    [text(w, "topBadput"), n > 0 && `${n} interruption${n === 1 ? "" : "s"}`]
                        .filter(Boolean)
                        .join(" · "),
                ),
            ),
        );
    }
    return box;
}
