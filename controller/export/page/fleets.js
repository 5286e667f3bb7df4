// FleetGoodputs: many jobs as one, above the list of jobs. They change once a minute, so the page polls them.

let fleets = [];
const fleetsBox = h("div");

// Losses come in the order of the ledger, scheduling first. FailureDetection is in both families.
const NOT_RUNTIME = [
    "Idle",
    "NotSubmitted",
    "Suspended",
    "PreemptedWait",
    "QueueWait",
    "DependencyWait",
    "Provisioning",
    "Rescheduling",
    "Binding",
    "Unobserved",
];

// A bar from the available to the productive chip time: one part for the rest and one for each loss.
function fall(f) {
    const steps = list(f, "status.waterfall"),
        whole = number(steps[0], "chipSeconds") || 0;
    const rest = steps.filter((s) => s.total === true).pop(),
        lost = steps.filter((s) => s.total !== true && s.chipSeconds > 0);
    if (!(whole > 0) || !rest) return null;
    let isRuntime = false;
    const family = (name) => {
        isRuntime = isRuntime || !(NOT_RUNTIME.includes(name) || name === "FailureDetection");
        return name === "Idle" ? "wall" : name === "Unobserved" ? "unobserved" : isRuntime ? "runtime" : "scheduling";
    };
    const parts = [
        [text(rest, "name"), rest.chipSeconds, "productive"],
        ...lost.map((s) => [text(s, "name"), s.chipSeconds, family(text(s, "name"))]),
    ];
    let at = 0;
    const bars = parts.map(([name, s, color]) => {
        const x = at,
            w = (100 * s) / whole;
        at += w;
        return h(
            "svg:rect",
            { x: x.toFixed(3), y: 0, width: Math.max(w, 0).toFixed(3), height: 10, class: "part f-" + color },
            h("svg:title", null, `${name}: ${chipHours(s / 3600)} chip-hours, ${percent(s, whole)}`),
        );
    });
    const has = (color) => parts.some(([, s, c]) => c === color && s > 0);
    const words = parts.map(([name, s]) => `${name} ${percent(s, whole)}`).join(", ");
    return [
        h(
            "svg:svg",
            { viewBox: "0 0 100 10", preserveAspectRatio: "none", class: "fall", role: "img", "aria-label": words },
            bars,
        ),
        legend(
            [
                ["f-productive", "kept"],
                ["f-runtime", "there, not training"],
                ["f-scheduling", "allocated, not all there"],
                ["f-unobserved", "not observed"],
                ["f-wall", "idle"],
            ].filter(([kind]) => has(kind.slice(2))),
        ),
        note(`Of ${chipHours(whole / 3600)} chip-hours (${text(steps[0], "name")}): ${words}.`),
    ];
}

function fleetView(f) {
    const s = pick(f, "status") || {},
        ready = list(s, "conditions").find((c) => c.type === "Ready"),
        degraded = list(s, "conditions").find((c) => c.type === "Degraded" && c.status === "True");
    const rate = text(s, "interruptions.per1000NodeDays"),
        scores = ["scheduling", "runtime", "job", "program", "productivity"];
    const currency = text(s, "cost.currency");
    const score = (k) => [
        k === "job" ? "goodput" : k === "productivity" ? "MPG" : k,
        (o) => range(text(o, "goodput." + k), text(o, `goodput.${k}UpperBound`)) || "–",
        "num",
    ];
    const money = (o) => (currency && text(o, "cost") ? `, ${text(o, "cost")} ${currency}` : ""),
        hours = (o) => (number(o, "chipSeconds") === undefined ? "" : ` ${chipHours(o.chipSeconds / 3600)} chip-hours`);
    const classes = (o) => {
        const all = list(o, "byClass").sort((a, b) => b.chipSeconds - a.chipSeconds);
        return all.length > 0 ? ` (${all.map((c) => text(c, "class") + hours(c)).join(", ")})` : "";
    };
    // The first n of a list; more: how many others are counted elsewhere.
    const each = (words, path, n, of, more = 0) => {
        const all = list(s, path),
            others = all.slice(n).reduce((sum, x) => sum + (x.count || 0), more);
        return all.length > 0 && note(words, all.slice(0, n).map(of).join("; "), others > 0 && `; others ${others}`);
    };
    const unlisted = number(s, "interruptions.otherNodes.count");
    return h(
        "section",
        { class: "fleetgoodput", "data-key": text(f, "metadata.name") },
        h(
            "h2",
            null,
            `Fleet ${text(f, "metadata.name")}`,
            h(
                "small",
                null,
                ` ${text(s, "window.name")} · ${text(s, "jobs.counted") || 0} jobs${rate ? ` · ${rate} interruptions per 1,000 node-days` : ""}`,
            ),
        ),
        ready && ready.status !== "True" && note(text(ready, "message")),
        degraded && note(text(degraded, "message")),
        number(s, "chipSeconds.unobserved") > 0 &&
            note(`${chipHours(s.chipSeconds.unobserved / 3600)} chip-hours unobserved: available or not.`),
        fall(f),
        table(
            [
                s,
                ...list(s, "groups")
                    .filter((g) => text(g, "name") !== "all")
                    .slice(0, 8),
            ],
            [
                ["group", (o) => (o === s ? "all" : text(o, "name"))],
                ...scores.map(score),
                ...(currency
                    ? [[`lost, ${currency}`, (o) => text(o, o === s ? "cost.lost" : "costLost") || "–", "num"]]
                    : []),
                ["most lost to", (o) => text(o, "topBadput") || "–"],
            ],
        ),
        each(
            "Most lost: ",
            "topLosses",
            3,
            (l) =>
                `${text(l, "bucket")} ${text(l, "share")}${money(l)} (${
                    list(l, "jobs")
                        .map((j) => text(j, "name"))
                        .join(", ") || "deleted jobs"
                })`,
        ),
        each(
            "Lost to interruptions: ",
            "interruptions.byCause",
            5,
            (c) => `${text(c, "count")} ${text(c, "cause")}${hours(c)}${money(c)}`,
        ),
        each(
            "Root causes of interruptions: ",
            "interruptions.byClass",
            8,
            (c) => `${text(c, "count")} ${text(c, "class")}`,
        ),
        each(
            "Lost by owner: ",
            "byOwner",
            5,
            (o) =>
                `${text(o, "owner")}${hours(o)}${money(o)}${classes(o)}${o.interruptions > 0 ? `, interruptions: ${text(o, "interruptions")}` : ""}`,
        ),
        each(
            "Nodes to blame: ",
            "interruptions.byNode",
            5,
            (n) => `${text(n, "node")}, ${text(n, "count")} ${text(n, "class")}, owner ${text(n, "owner")}`,
            unlisted,
        ),
        each(
            "Suspect nodes: ",
            "suspectNodes",
            5,
            (n) =>
                `${text(n, "name")} fails at least ${text(n, "rateRatioAtLeast")} times as often as the rest of its pool`,
        ),
        currency &&
            note(
                `Cost: ${text(s, "cost.allocated")} ${currency}, of these ${text(s, "cost.lost")} lost${text(s, "cost.pricedShare") ? ` (${text(s, "cost.pricedShare")} of the chip-hours have a price)` : ""}.`,
            ),
    );
}

async function readFleets() {
    const answer = await fetch("fleets").catch(() => null);
    const reply = answer && answer.ok ? await answer.json().catch(() => null) : null;
    if (!reply) return;
    fleets = list(reply, "items");
    patchChildren(fleetsBox, fleets.map(fleetView));
}
