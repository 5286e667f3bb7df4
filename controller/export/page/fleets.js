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
    const cells = (o, name) =>
        h(
            "tr",
            null,
            h("td", null, name),
            ...scores.map((k) =>
                h("td.num", null, range(text(o, "goodput." + k), text(o, `goodput.${k}UpperBound`)) || "–"),
            ),
            currency && h("td.num", null, text(o, o === s ? "cost.lost" : "costLost") || "–"),
            h("td", null, text(o, "topBadput") || "–"),
        );
    const money = (o) => (currency && text(o, "cost") ? `, ${text(o, "cost")} ${currency}` : ""),
        hours = (o) => (number(o, "chipSeconds") === undefined ? "" : ` ${chipHours(o.chipSeconds / 3600)} chip-hours`);
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
        h(
            "div",
            { class: "scroll", tabindex: 0 },
            h(
                "table",
                null,
                h(
                    "thead",
                    null,
                    h(
                        "tr",
                        null,
                        [
                            "group",
                            "scheduling",
                            "runtime",
                            "goodput",
                            "program",
                            "MPG",
                            currency && `lost, ${currency}`,
                            "most lost to",
                        ]
                            .filter(Boolean)
                            .map((t) => h("th", null, t)),
                    ),
                ),
                h(
                    "tbody",
                    null,
                    cells(s, "all"),
                    list(s, "groups")
                        .filter((g) => text(g, "name") !== "all")
                        .slice(0, 8)
                        .map((g) => cells(g, text(g, "name"))),
                ),
            ),
        ),
        list(s, "topLosses").length > 0 &&
            note(
                "Most lost: ",
                list(s, "topLosses")
                    .slice(0, 3)
                    .map(
                        (l) =>
                            `${text(l, "bucket")} ${text(l, "share")}${money(l)} (${
                                list(l, "jobs")
                                    .map((j) => text(j, "name"))
                                    .join(", ") || "deleted jobs"
                            })`,
                    )
                    .join("; "),
            ),
        list(s, "interruptions.byCause").length > 0 &&
            note(
                "Lost to interruptions: ",
                list(s, "interruptions.byCause")
                    .slice(0, 5)
                    .map((c) => `${text(c, "count")} ${text(c, "cause")}${hours(c)}${money(c)}`)
                    .join("; "),
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
