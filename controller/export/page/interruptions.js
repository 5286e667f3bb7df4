// One job's interruptions and starts. A new member of an execution becomes a column or a line of details here.

// "by node: a 3, b 2": most first, with what follows the sixth as a sum.
function grouped(words, rows, of) {
    const counts = new Map();
    for (const name of rows.map(of).filter(Boolean)) counts.set(name, (counts.get(name) || 0) + 1);
    const all = [...counts].sort((a, b) => b[1] - a[1]),
        more = all.slice(6).reduce((sum, [, n]) => sum + n, 0);
    const parts = all.slice(0, 6).map(([name, n]) => `${name} ${n}`);
    return parts.length ? `${words}: ${parts.join(", ")}${more ? `, others ${more}` : ""}` : "";
}
// Of all that the controller saw, else of those in the status.
function interruptionGroups(job, rows) {
    const seen = list(job, "trace.interruptions").filter((x) => Array.isArray(x) && isFinite(x[0])),
        all = seen.length > rows.length ? seen : rows.map((e) => [time(e, "end"), text(e, "node")]);
    if (all.length < 4) return null;
    const words = [
        grouped("by node", all, ([, node]) => node),
        grouped("by hour", all, ([at]) => stamp(at).slice(0, 13) + "h"),
    ];
    return note(`Of the newest ${all.length} ${words.filter(Boolean).join("; ")}.`);
}

// A line for each part that is known: the class, who failed first, what it printed.
function rootCause(execution) {
    const c = (k) => text(execution, "rootCause." + k);
    if (!c("class")) return "";
    const slot = c("replicatedJob") && `${c("replicatedJob")} ${c("jobIndex")}/${c("completionIndex")}`;
    const first = [slot, c("container") && `container ${c("container")}`, c("node") && `node ${c("node")}`].filter(
        Boolean,
    );
    const followers = number(execution, "rootCause.followers"),
        unread = number(execution, "rootCause.unread");
    return [
        `${c("class")}${c("reason") && ": " + c("reason")} (${c("basis")})`,
        c("symptomOnly") === "true" &&
            `a symptom only${c("waitsFor") && `: it waits for ${c("waitsFor")}`}; the cause is not known`,
        first.length > 0 && `first: ${first.join(", ")}`,
        c("line") && brief("line-" + text(execution, "number"), c("line")),
        c("frame"),
        followers > 0 && `${followers} only followed`,
        unread > 0 && `${unread} could not be read in time`,
    ]
        .filter(Boolean)
        .map((line) => h("div", null, line));
}

// Signals of its nodes: "Cause: Xid79 on n0, 11-21 02:16:10: condition XidCriticalError=True ...".
function nodeSignals(execution) {
    const signals = list(execution, "nodeEvidence");
    if (signals.length === 0) return "";
    return signals.map((s) =>
        h(
            "div",
            null,
            `${text(s, "role")}: ${text(s, "signal")} on ${text(s, "node")}, ${text(s, "time") ? stamp(time(s, "time")) : "of unknown age"}${text(s, "message") && ": "}${text(s, "message")}`,
        ),
    );
}

function interruptionTable(job, status) {
    const rows = list(status, "executions")
        .filter((e) => text(e, "cause") || text(e, "rootCause.class"))
        .reverse();
    const total = number(status, "interruptions.total") ?? 0;
    if (total === 0 && rows.length === 0) return null;
    const counts = (path, key) =>
        list(status, "interruptions." + path)
            .map((c) => `${text(c, "count")} ${text(c, key)}`)
            .join(", ");
    const causes = counts("byCause", "cause"),
        classes = counts("byClass", "class");
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
        h2("Interruptions"),
        note(
            `${total}: ${causes}${classes && `; root causes: ${classes}`}${mean ? "; " + mean : ""}${rows.length < total ? `; the newest ${rows.length} are kept one by one` : ""}.`,
        ),
        interruptionGroups(job, rows),
        table(rows, [
            ["#", "number", "num"],
            ["when", (e) => stamp(time(e, "end")), "num"],
            ["cause", (e) => text(e, "cause") || "the job's end"],
            ["owner", "owner"],
            ["root cause", rootCause, "evidence"],
            ["node", "node", "num"],
            ["pool", "nodePool", "num"],
            ["steps lost", "lostSteps", "num"],
            ["work lost", ms("lostWorkMilliseconds"), "num"],
            ["noticed", ms("detectMilliseconds"), "num"],
            ["waited", ms("waitMilliseconds"), "num"],
            ["rescheduled", ms("rescheduleMilliseconds"), "num"],
            ["resumed", ms("resumeMilliseconds"), "num"],
            ["caught up", ms("catchUpMilliseconds"), "num"],
            ["saved on SIGTERM", (e) => ({ true: "yes", false: "no" })[e.savedOnTermination] || ""],
            ["evidence", (e) => brief("evidence-" + text(e, "number"), text(e, "evidence")), "evidence"],
            ["nodes showed", nodeSignals, "evidence"],
        ]),
    ];
}

// Whose fault it was; the most lost time first.
function ownerTable(status) {
    const rows = list(status, "byOwner").sort((a, b) => b.milliseconds - a.milliseconds);
    return (
        rows.length > 0 && [
            h2("Who owns the lost time"),
            note("What an interruption cost belongs to its owner, all other lost time to its bucket's owner."),
            table(rows, [
                ["owner", "owner"],
                ["lost", (o) => duration(number(o, "milliseconds")), "num"],
                ["of the wall time", "share", "num"],
                ["interruptions", "interruptions", "num"],
                ["chip-hours", (o) => (o.chipSeconds > 0 ? chipHours(o.chipSeconds / 3600) : ""), "num"],
                [["cost", text(status, "cost.currency")].filter(Boolean).join(", "), "cost", "num"],
            ]),
        ]
    );
}

// The start of each execution, where something is known.
function startTable(status) {
    const costs = ["imagePullMilliseconds", "containerStartMilliseconds", "programStartupMilliseconds"],
        rows = list(status, "executions").filter((e) => costs.some((k) => number(e, k) > 0));
    const ms = (key) => (e) => (number(e, key) > 0 ? duration(number(e, key)) : "");
    return (
        rows.length > 0 && [
            h2("How each came up"),
            table(rows, [
                ["#", "number", "num"],
                ["image pull", ms("imagePullMilliseconds"), "num"],
                ["container start", ms("containerStartMilliseconds"), "num"],
                ["first step's compile", ms("programStartupMilliseconds"), "num"],
                ["slowest pull", "slowestPull"],
            ]),
        ]
    );
}
