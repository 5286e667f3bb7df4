// One job's interruptions and starts. A new member of an execution becomes a column or a line of details here.

function interruptionTable(status) {
    const rows = list(status, "executions").filter((e) => text(e, "cause"));
    const total = number(status, "interruptions.total") ?? 0;
    if (total === 0) return null;
    const causes = list(status, "interruptions.byCause")
        .map((c) => `${text(c, "count")} ${text(c, "cause")}`)
        .join(", ");
    const mean = [
        number(status, "interruptions.meanTimeBetweenSeconds") !== undefined &&
            `one in ${duration(1000 * number(status, "interruptions.meanTimeBetweenSeconds"))} available`,
        number(status, "interruptions.meanTimeToRecoverSeconds") !== undefined &&
            `back to steps in ${duration(1000 * number(status, "interruptions.meanTimeToRecoverSeconds"))} on average`,
    ]
        .filter(Boolean)
        .join("; ");
    const ms = (key) => (e) => (number(e, key) === 0 ? "–" : duration(number(e, key)));
    return [
        h("h2", null, "Interruptions"),
        h(
            "p",
            { class: "note" },
            `${total}: ${causes}${mean ? "; " + mean : ""}${rows.length < total ? `; the newest ${rows.length} are kept one by one` : ""}.`,
        ),
        table(rows, [
            ["#", (e) => text(e, "number"), "num"],
            ["when", (e) => stamp(time(e, "end")), "num"],
            ["cause", (e) => text(e, "cause")],
            ["node", (e) => text(e, "node"), "num"],
            ["pool", (e) => text(e, "nodePool"), "num"],
            ["steps lost", (e) => text(e, "lostSteps"), "num"],
            ["work lost", ms("lostWorkMilliseconds"), "num"],
            ["noticed", ms("detectMilliseconds"), "num"],
            ["waited", ms("waitMilliseconds"), "num"],
            ["rescheduled", ms("rescheduleMilliseconds"), "num"],
            ["resumed", ms("resumeMilliseconds"), "num"],
            ["caught up", ms("catchUpMilliseconds"), "num"],
            ["saved on SIGTERM", (e) => ({ true: "yes", false: "no" })[e.savedOnTermination] || ""],
            ["evidence", (e) => text(e, "evidence"), "evidence"],
        ]),
    ];
}

// The start of each execution, where something is known.
function startTable(status) {
    const costs = ["imagePullMilliseconds", "containerStartMilliseconds", "programStartupMilliseconds"],
        rows = list(status, "executions").filter((e) => costs.some((k) => number(e, k) > 0));
    const ms = (key) => (e) => (number(e, key) > 0 ? duration(number(e, key)) : "");
    return (
        rows.length > 0 && [
            h("h2", null, "How each came up"),
            table(rows, [
                ["#", (e) => text(e, "number"), "num"],
                ["image pull", ms("imagePullMilliseconds"), "num"],
                ["container start", ms("containerStartMilliseconds"), "num"],
                ["first step's compile", ms("programStartupMilliseconds"), "num"],
                ["slowest pull", (e) => text(e, "slowestPull"), "evidence"],
            ]),
        ]
    );
}
