// One job: the contents of kubectl goodput explain.

// With unobserved time: the bounds of the true scores.
function rangeNote(status) {
    const g = (k) => text(status, "goodput." + k),
        unobserved = list(status, "badput").find((b) => text(b, "bucket") === "Unobserved");
    if (!g("schedulingUpperBound")) return null;
    return h(
        "p",
        { class: "note", "data-range": true },
        `scheduling ${range(g("scheduling"), g("schedulingUpperBound"))}` +
            (g("jobUpperBound") ? `, goodput ${range(g("job"), g("jobUpperBound"))}` : "") +
            ` (${duration(number(unobserved, "milliseconds") ?? 0)} unobserved)`,
    );
}

// Of kubectl goodput analyze, which has no objects: steps give a runtime score, nothing gives a scheduling score.
function isLogAlone(status) {
    return Boolean(text(status, "goodput.runtime") && !text(status, "goodput.scheduling"));
}

function scoreTiles(status) {
    const tile = (name, value, kind, extra) =>
        h(
            "div",
            { class: "tile " + kind, "data-score": name },
            h("b", null, value || "–"),
            h("span", null, name),
            extra && h("span", null, " · " + extra),
        );
    const sign = (c) => h("span", { class: "sign", "aria-hidden": "true" }, c);
    const g = (k) => text(status, "goodput." + k);
    const isOfLog = isLogAlone(status);
    const bound = (k) => (g(k + "UpperBound") && g(k + "UpperBound") !== g(k) ? `at most ${g(k + "UpperBound")}` : "");
    return [
        h(
            "div.tiles",
            null,
            tile("goodput", g("job"), "productive", bound("job")),
            !isOfLog && [sign("="), tile("scheduling", g("scheduling"), "scheduling", bound("scheduling")), sign("×")],
            tile("runtime", g("runtime"), "runtime", bound("runtime")),
            g("program") && [
                sign("·"),
                tile("program (MFU)", g("program"), ""),
                tile("productivity", g("productivity"), ""),
            ],
        ),
        rangeNote(status),
        isOfLog && note("A log does not show when machines were there: no scheduling goodput."),
        g("evidence") && note(`Evidence explains ${g("evidence")} of the available time.`),
        !g("job") && note("Without step lines, runtime goodput and goodput are not known; they are not 0."),
    ];
}

// The conditions that a person should see.
const problems = (status) =>
    list(status, "conditions").filter((c) =>
        ["ClockSkew", "PermissionMissing"].includes(text(c, "type"))
            ? text(c, "status") === "True"
            : text(c, "status") === "False" && text(c, "type") !== "Finished",
    );

function warnings(status) {
    return problems(status).map((c) =>
        h("div.warn", null, h("b", null, `${text(c, "type")}: ${text(c, "reason")}`), " ", text(c, "message")),
    );
}

// A job that has not ended is written at least every minute. Older numbers are marked, not shown as of now.
const OLD = 300e3;
const hasEnded = (status) =>
    pick(status, "time.end") !== undefined || ["Completed", "Failed", "Deleted"].includes(text(status, "phase"));
function ageWords(status, now) {
    const through = time(status, "time.observedThrough");
    return hasEnded(status) || through === undefined || now - through < OLD
        ? ""
        : `numbers ${duration(now - through)} old`;
}

// cells: [heading, value of a row or path of its text, class]; a column without any value is left out. Long texts, of the
// class evidence, have no column: they stand in a row below, as wide as the table.
function table(rows, cells) {
    const shown = cells
        .map(([heading, value, kind]) => [heading, typeof value === "string" ? (r) => text(r, value) : value, kind])
        .filter(([, value]) => rows.some((r) => value(r) !== "" && value(r) !== undefined));
    const short = shown.filter(([, , kind]) => kind !== "evidence"),
        long = shown.filter(([, , kind]) => kind === "evidence");
    const lines = (r) => {
        const id = text(r, "number"),
            texts = long.map(([heading, value]) => [heading, value(r)]).filter(([, v]) => v && v.length !== 0);
        return [
            h(
                "tr",
                { "data-key": id || null },
                short.map(([heading, value, kind]) =>
                    h("td", { class: kind || "", "data-label": heading }, value(r) ?? ""),
                ),
            ),
            texts.length > 0 &&
                h(
                    "tr",
                    { class: "texts", "data-key": id ? id + "-texts" : null },
                    h(
                        "td",
                        { colspan: short.length },
                        texts.map(([heading, v]) =>
                            h(
                                "div",
                                { class: "evidence", "data-label": heading },
                                h("b", null, heading),
                                h("div", null, v),
                            ),
                        ),
                    ),
                ),
        ];
    };
    return h(
        "div",
        { class: "scroll", tabindex: 0 },
        h(
            "table.cards",
            null,
            h(
                "thead",
                null,
                h(
                    "tr",
                    null,
                    short.map(([heading]) => h("th", { scope: "col" }, heading)),
                ),
            ),
            h("tbody", null, rows.map(lines)),
        ),
    );
}

// Names and values.
const pairs = (kind, rows) =>
    h(
        "table" + kind,
        null,
        h(
            "tbody",
            null,
            rows.map(([k, v]) => h("tr", null, h("th", { scope: "row" }, k), h("td", null, v))),
        ),
    );

// A link if the controller has a documentation URL, else the path in its source.
function documentLink(topic) {
    return /^https?:\/\//.test(topic)
        ? h("a", { href: topic, rel: "noreferrer" }, topic.split("#")[1] || topic)
        : topic;
}

function adviceTable(status) {
    const rows = list(status, "advice");
    if (rows.length === 0) return null;
    return [
        h2("What would help"),
        note(
            "Each for itself: the same progress in less time. The numbers behind a change are in the documentation (how-to/advice.md).",
        ),
        table(rows, [
            ["points", (a) => "+" + text(a, "gainPoints"), "num"],
            ["chip-hours", "acceleratorHours", "num"],
            ["change", "change"],
            ["seen", "seen"],
            ["computed as", "formula", "evidence"],
            ["more", (a) => documentLink(text(a, "topic"))],
        ]),
    ];
}

// status.forecast, with its assumptions below it.
function forecastView(status) {
    const f = pick(status, "forecast"),
        after = (k) => duration(number(f, k) === undefined ? undefined : 1000 * number(f, k)),
        rows = [];
    if (!f) return null;
    const add = (name, ...parts) => {
        const known = parts.filter(Boolean).join(", ");
        if (known) rows.push([name, known]);
    };
    add(
        "a save",
        after("intervalSeconds") && `every ${after("intervalSeconds")}`,
        number(f, "saveMilliseconds") !== undefined && `blocks for ${stepTime(f.saveMilliseconds)}`,
        number(f, "persistMilliseconds") !== undefined && `durable ${stepTime(f.persistMilliseconds)} later`,
    );
    add(
        "a failure",
        after("meanTimeBetweenFailuresSeconds") && `every ${after("meanTimeBetweenFailuresSeconds")}`,
        after("meanTimeLowSeconds") &&
            `90 %: ${after("meanTimeLowSeconds")} to ${after("meanTimeHighSeconds") || "never"}`,
    );
    add(
        "expected",
        text(f, "runtime") && `runtime ${text(f, "runtime")}`,
        text(f, "job") && `goodput ${text(f, "job")}`,
        f.firstOrderIsValid !== false &&
            text(f, "runtimeFirstOrder") &&
            `to first order ${text(f, "runtimeFirstOrder")}`,
    );
    add(
        "the best",
        after("bestIntervalSeconds") && `a save every ${after("bestIntervalSeconds")}`,
        number(f, "bestIntervalSteps") !== undefined && `${f.bestIntervalSteps} steps`,
        text(f, "bestRuntime") && `runtime ${text(f, "bestRuntime")}`,
        after("bestFromSeconds") &&
            `${after("bestFromSeconds")} ${after("bestToSeconds") ? `to ${after("bestToSeconds")}` : "or more"} is as good`,
    );
    add(
        "to finish",
        after("remainingSeconds") && `${number(f, "remainingSteps") ?? "?"} steps in ${after("remainingSeconds")}`,
        after("remainingDeviationSeconds") && `give or take ${after("remainingDeviationSeconds")}`,
        text(f, "finishAt") && `on ${stamp(time(f, "finishAt"))}`,
    );
    const assumed = (Array.isArray(f.assumptions) ? f.assumptions : []).filter((a) => typeof a === "string");
    return [h2("Forecast"), pairs(".forecast", rows), assumed.length > 0 && note("Assumed: " + assumed.join(" "))];
}

const DEFINITIONS = {
    AllPodsReady: "all pods Ready (GKE)",
    RunningOverTotal: "running / total (Kueue)",
    ExcludingSuspended: "without suspended time",
    ETTRMeta: "ETTR (Meta)",
    ETTRByteDance: "ETTR (ByteDance)",
    ForwardProgress: "forward progress",
    MTBI: "MTBI",
    MTTF: "MTTF",
    MTTR: "MTTR",
};

// "82.18% = 1h 41m / 2h 03m"; of a mean time "1h 55m = 3h 50m / 2".
function quotient(d) {
    const part = duration(number(d, "numeratorMilliseconds")),
        count = number(d, "denominatorCount");
    return count !== undefined
        ? `${duration(1000 * number(d, "meanSeconds"))} = ${part} / ${count}`
        : `${text(d, "value")} = ${part} / ${duration(number(d, "denominatorMilliseconds"))}`;
}

function facts(status) {
    const s = (k) => number(status, "steps." + k),
        rows = [];
    const add = (name, value) => {
        if (value !== "" && value !== undefined) rows.push([name, value]);
    };
    if (pick(status, "steps") !== undefined) {
        add(
            "steps",
            [
                s("last") !== undefined && `last ${s("last")}`,
                `${s("retained") ?? "?"} kept`,
                `${s("repeated") ?? 0} done again`,
                s("lastDurable") !== undefined && `durable up to ${s("lastDurable")}`,
            ]
                .filter(Boolean)
                .join(", "),
        );
        add(
            "a step takes",
            [
                s("meanMilliseconds") !== undefined && `${stepTime(s("meanMilliseconds"))} on average`,
                s("p50Milliseconds") !== undefined && `half within ${stepTime(s("p50Milliseconds"))}`,
                s("p99Milliseconds") !== undefined && `99 % within ${stepTime(s("p99Milliseconds"))}`,
                s("idealMilliseconds") !== undefined && `ideal ${stepTime(s("idealMilliseconds"))}`,
                s("deviationMilliseconds") !== undefined &&
                    `${stepTime(Math.abs(s("deviationMilliseconds")))} ${s("deviationMilliseconds") < 0 ? "below" : "beyond"} it`,
            ]
                .filter(Boolean)
                .join(", "),
        );
        add(
            "within the steps",
            list(status, "steps.phases")
                .map((r) => `${text(r, "name")} ${duration(Number(r.milliseconds))} (${text(r, "share")})`)
                .join(", "),
        );
    }
    const c = (k) => text(status, "acceleratorHours." + k);
    if (c("allocated"))
        add(
            "chip-hours",
            [`${c("allocated")} allocated`, c("productive") && `= ${c("productive")} productive + ${c("lost")} lost`]
                .filter(Boolean)
                .join(" ") + (c("waiting") ? `; ${c("waiting")} waiting` : ""),
        );
    const paid = (k) => text(status, "cost." + k),
        inMoney = (r) => text(r, "cost") && `${text(r, "bucket") || text(r, "cause")} ${text(r, "cost")}`;
    if (paid("allocated")) {
        add(
            "cost",
            `${paid("allocated")} ${paid("currency")}` +
                (paid("lost") ? ` = ${paid("productive")} productive + ${paid("lost")} lost` : "") +
                (paid("pricePerChipHour") ? `; ${paid("pricePerChipHour")} per chip-hour` : ""),
        );
        add(
            "lost to",
            list(status, "badput")
                .filter((r) => Number(r.cost) > 0)
                .sort((a, b) => b.cost - a.cost)
                .slice(0, 5)
                .map(inMoney)
                .join(", "),
        );
        add("to interruptions", list(status, "interruptions.byCause").map(inMoney).filter(Boolean).join(", "));
    }
    for (const d of list(status, "otherDefinitions"))
        add(DEFINITIONS[text(d, "name")] || `as ${text(d, "name")}`, quotient(d));
    const p = number(status, "time.provisionalMilliseconds");
    if (p > 0 && pick(status, "time.end") === undefined)
        add(
            "at risk",
            p < number(status, "time.productiveMilliseconds")
                ? `${duration(p)} since the last durable checkpoint`
                : `${duration(p)}, of which no durable checkpoint was seen`,
        );
    return rows.length > 0 && [h2("Numbers"), pairs("", rows)];
}

// Commands that show more, to copy.
function commandList(job) {
    const name = text(job, "metadata.name"),
        namespace = text(job, "metadata.namespace"),
        target = (k) => text(job, "spec.targetRef." + k),
        pod = text(job, "status.target.logPod"),
        container = text(job, "status.target.logContainer"),
        node = list(job, "status.executions").reduce((last, e) => text(e, "node") || last, "");
    if (!namespace) return null;
    const commands = [
        `kubectl goodput explain ${name} -n ${namespace}`,
        `kubectl get jobgoodput ${name} -n ${namespace} -o yaml`,
        target("name") && `kubectl describe ${target("kind").toLowerCase()} ${target("name")} -n ${namespace}`,
        pod && `kubectl logs ${pod} -n ${namespace}${container ? ` -c ${container}` : ""}`,
        text(job, "status.target.queue") && `kubectl get workloads -n ${namespace}`,
        node && `kubectl describe node ${node}`,
    ].filter(Boolean);
    return [
        h2("Look further" + (cluster && ` in ${cluster}`)),
        h(
            "ul.commands",
            null,
            commands.map((c) =>
                h(
                    "li",
                    null,
                    h("code", null, c),
                    h("button", { type: "button", "data-action": "copy", "aria-label": "copy " + c }, "copy"),
                ),
            ),
        ),
        !report && note(h("a", { href: "job?" + new URLSearchParams({ namespace, name }) }, "as JSON")),
    ];
}

function headView(job, status) {
    const namespace = text(job, "metadata.namespace"),
        phase = text(status, "phase"),
        age = !report && ageWords(status, Date.now());
    const target = [
        text(job, "spec.targetRef.kind") && `${text(job, "spec.targetRef.kind")} ${text(job, "spec.targetRef.name")}`,
        text(status, "target.queue") && `queue ${text(status, "target.queue")}`,
        text(status, "target.chips") && `${text(status, "target.chips")} chips`,
        text(status, "target.logFormat") && `log ${text(status, "target.logFormat")}`,
        pick(status, "time.end") === undefined &&
            number(status, "availability.required") > 0 &&
            `${text(status, "availability.available")} of ${text(status, "availability.required")} slots available`,
    ]
        .filter(Boolean)
        .join(" · ");
    return [
        h("h1", null, namespace && h("span.soft", null, namespace + "/"), text(job, "metadata.name")),
        note(
            phase && h("span", { class: "badge " + phase }, phase),
            " ",
            text(status, "phaseSince") && `since ${stamp(time(status, "phaseSince"))} · `,
            target,
        ),
        age &&
            h(
                "div",
                { class: "warn old" },
                h("b", null, age),
                ` They are of ${stamp(time(status, "time.observedThrough"))}; nothing is known since then.`,
            ),
        text(status, "availability.message") &&
            !pick(status, "time.end") &&
            note("Waiting for: " + text(status, "availability.message")),
        warnings(status),
    ];
}

function waterfallView(status) {
    const isOfLog = isLogAlone(status);
    return [
        h2("Where the time went"),
        note(
            `Every millisecond from ${stamp(time(status, "time.start"))} to ${stamp(time(status, "time.observedThrough"))} is in exactly one row. A row opens to show why.`,
        ),
        legend(
            [
                !isOfLog && ["f-scheduling", "machines not there"],
                ["f-runtime", isOfLog ? "not training" : "there, not training"],
                ["f-productive", "progress that was kept"],
                list(status, "badput").some((b) => text(b, "bucket") === "Unobserved") && [
                    "f-unobserved",
                    "not observed: there or not",
                ],
            ].filter(Boolean),
        ),
        waterfall(status),
    ];
}

function executionView(job, status, view) {
    const chart = gantt(job, status, view),
        has = (kind) => chart.querySelector("." + kind.split(" ").pop()) !== null;
    return [
        h2("Executions"),
        time(list(status, "executions")[0], "start") > time(status, "time.start") &&
            note(`The newest ${list(status, "executions").length} are kept one by one.`),
        legend(
            Object.keys(STATES)
                .map((s) => ["s-" + s, STATES[s]])
                .concat([
                    ["saved", points(job, "trace.saves").length > 0 ? "checkpoint" : "newest checkpoint"],
                    ["saved started", "started, not known to be durable"],
                    ["cut", "interruption"],
                ])
                .filter(([kind]) => has(kind)),
        ),
        chart,
    ];
}

function stepView(job, status, view) {
    const stair = stairs(job, status, view);
    return (
        stair && [
            h2("Steps"),
            note(
                (points(job, "trace.steps").length
                    ? "From the lines of the log."
                    : "First and last step of each execution are known, the lines between are drawn straight.") +
                    (stair.querySelector(".area") ? " Shaded: steps that were lost and done again." : ""),
            ),
            stair,
        ]
    );
}

function previousTable(status) {
    const previous = list(status, "previous");
    return (
        previous.length > 0 && [
            h2("Earlier targets of this name"),
            table(previous, [
                ["from", (p) => stamp(time(p, "time.start")), "num"],
                ["to", (p) => stamp(time(p, "time.end")), "num"],
                ["scheduling", "goodput.scheduling", "num"],
                ["runtime", "goodput.runtime", "num"],
                ["goodput", "goodput.job", "num"],
            ]),
        ]
    );
}

// The sections of a job, each with a key, so that a new status patches each for itself.
function jobView(job) {
    const status = pick(job, "status") || {},
        view = inView(job, status);
    const hasTime = number(status, "time.wallMilliseconds") > 0;
    const sections = {
        head: headView(job, status),
        empty: !hasTime && h("p.empty", null, "There is nothing to show yet: no time has been accounted."),
        scores: hasTime && scoreTiles(status),
        waterfall: hasTime && waterfallView(status),
        owners: hasTime && ownerTable(status),
        windows: hasTime && list(status, "windows").length > 0 && [h2("Recently"), windowBars(status)],
        executions: hasTime && view && executionView(job, status, view),
        zoom: hasTime && view && zoomBar(view, wholeOf(status)),
        steps: hasTime && view && stepView(job, status, view),
        interruptions: hasTime && interruptionTable(job, status),
        starts: hasTime && startTable(status),
        advice: hasTime && adviceTable(status),
        forecast: hasTime && forecastView(status),
        facts: hasTime && facts(status),
        previous: hasTime && previousTable(status),
        compare: !report && hasTime && compareField(job),
        commands: commandList(job),
    };
    return Object.entries(sections)
        .filter(([, contents]) => contents)
        .map(([name, contents]) => h("section", { "data-key": name }, contents));
}
