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
    lost: "training that was lost",
    blind: "machines there, steps not known",
    suspended: "suspended",
    unknown: "not kept one by one",
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
        const lost = Math.min(number(e, "lostWorkMilliseconds") ?? 0, to - first);
        add("train", first, to - lost, e);
        add("lost", to - lost, to, e);
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

// Neighbors that are too short to see, as one part of the state "mixed".
function merged(parts, from, to) {
    const out = [],
        // a pixel of a phone's width
        shortest = (to - from) / 300;
    for (const s of parts) {
        const last = out[out.length - 1];
        if (s.to - s.from >= shortest) out.push(s);
        else if (last && last.members && last.to === s.from && last.to - last.from < shortest) {
            last.members.push(s);
            last.to = s.to;
        } else out.push({ ...s, members: [s] });
    }
    return out.map((s) => (s.members && s.members.length > 1 ? { ...s, state: "mixed" } : s));
}
function segmentWords(s) {
    const members = s.state === "mixed" ? s.members : [s];
    return members.map((m) => `${STATES[m.state]}: ${duration(m.to - m.from)} from ${stamp(m.from)}`).join("; ");
}

// The part of a segment that is in sight, at minimum a pixel wide; null if none of it is.
function segmentBar(s, from, to, attributes) {
    const a = Math.max(s.from, from),
        b = Math.min(s.to, to);
    if (!(b > a)) return null;
    const x = pc(a, from, to);
    return bar("s-" + s.state, Math.min(x, 99.7), Math.max(pc(b, from, to) - x, 0.3), attributes, segmentWords(s));
}

function legend(entries, name) {
    const sample = (kind) =>
        /^(saved|cut)/.test(kind)
            ? h("svg:line", { class: kind, x1: 6, x2: 6, y1: 0, y2: 12 })
            : h("svg:rect", { class: kind, width: 12, height: 12 });
    return h(
        "ul.legend",
        null,
        name && h("li", null, name + ":"),
        entries.map(([kind, words]) => h("li", null, h("svg:svg", { "aria-hidden": "true" }, sample(kind)), words)),
    );
}

function strip(status, from, to) {
    const svg = h("svg:svg", { class: "strip", role: "img", "aria-label": stripWords(status) });
    const parts = segments(status),
        end = time(status, "time.end");
    svg.append(...merged(parts, from, to).map((s) => segmentBar(s, from, to, { height: "100%" }) || ""));
    if (parts.length && parts[parts.length - 1].to <= from)
        svg.append(h("svg:text", { x: 4, y: 14 }, `◂ ended ${stamp(parts[parts.length - 1].to).slice(0, 10)}`));
    if (text(status, "phase") === "Failed" && end >= from && end <= to)
        svg.append(
            h("svg:rect", { class: "s-failed", x: pc(end, from, to).toFixed(3) + "%", width: 4, height: "100%" }),
        );
    return svg;
}

// A job's time as a whole of 100 %: kept, lost while the machines were there, lost without them.
function shares(status) {
    const wall = number(status, "time.wallMilliseconds"),
        available = number(status, "time.availableMilliseconds"),
        productive = number(status, "time.productiveMilliseconds"),
        bound = number(status, "goodputPPM.schedulingUpperBound");
    if (!(wall > 0) || available === undefined) return [];
    const unobserved = Math.max(bound === undefined ? 0 : (bound * wall) / 1e6 - available, 0);
    return [
        ["productive", "progress that was kept", productive ?? 0],
        ["runtime", "there, not training", productive === undefined ? 0 : available - productive],
        ["wall", "there, steps not known", productive === undefined ? available : 0],
        ["unobserved", "not observed", unobserved],
        ["scheduling", "machines not there", wall - available - unobserved],
    ]
        .filter(([, , ms]) => ms > 0)
        .map(([family, words, ms]) => ({ family, words: `${words} ${percent(ms, wall)}`, share: (100 * ms) / wall }));
}
function stack(status) {
    const parts = shares(status);
    if (!parts.length) return null;
    const svg = h("svg:svg", { class: "stack", role: "img", "aria-label": parts.map((p) => p.words).join(", ") });
    let at = 0;
    for (const p of parts) {
        svg.append(bar("f-" + p.family, at, p.share, { height: "100%" }, p.words));
        at += p.share;
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

// Times, and below them the date (of long axes the year) where it changes.
function axis(from, to, max) {
    const svg = h("svg:svg", { class: "axis", "aria-hidden": "true" });
    let shown = "";
    for (const t of timeTicks(from, to, max)) {
        const x = pc(t, from, to),
            anchor = x < 6 ? "start" : x > 94 ? "end" : "middle",
            day = stamp(t).slice(0, to - from > LONG ? 4 : 10);
        svg.append(
            h("svg:line", { class: "tick", x1: x + "%", x2: x + "%", y1: 0, y2: 4 }),
            h("svg:text", { x: x + "%", y: 15, "text-anchor": anchor }, clock(t, to - from)),
            day === shown ? "" : h("svg:text", { class: "day", x: x + "%", y: 28, "text-anchor": anchor }, day),
        );
        shown = day;
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
        share: text(status, "goodput.scheduling") || percent(available, wall),
    });
    buckets.filter((b) => text(b, "family") !== "Scheduling").forEach(part);
    if (productive !== undefined)
        rows.push({
            kind: "sum",
            family: "productive",
            name: "productive",
            ms: productive,
            at: 0,
            share: text(status, "goodput.job") || percent(productive, wall),
        });
    return rows;
}

function waterfall(status) {
    const wall = number(status, "time.wallMilliseconds");
    const box = h("div.falls");
    waterfallRows(status).forEach((row) => {
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
        const id = "why-" + row.name;
        const why = evidence && h("div", { class: "why", id, hidden: !opened.has(id) }, evidence);
        const label = evidence ? toggleButton(id, row.name) : row.name;
        box.append(
            h(
                "div",
                { class: "row " + row.kind },
                h("div.label", null, label),
                h("div.bar-box", null, svg),
                h("div", { class: "value num" }, duration(row.ms)),
                h("div", { class: "value num soft" }, row.share),
            ),
            why || "",
        );
    });
    return box;
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
                h("div.label", null, windowName(w)),
                h("div.bar-box", null, svg),
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
