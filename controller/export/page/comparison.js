// Two jobs compared: the table of kubectl goodput compare, with each interval as a picture.

const sideName = (side) => text(side, "name");

// A value of a row, in its unit.
function rowValue(row, value) {
    if (value === undefined) return "";
    const unit = text(row, "unit");
    if (unit === "share") return (100 * value).toFixed(2) + "%";
    if (unit === "perDay") return value.toFixed(2) + "/day";
    return value < 1000 ? value.toFixed(1) + " ms" : stepTime(value);
}

// B less A: in percent of A, of a share in points.
function rowChange(row, of) {
    const isShare = text(row, "unit") === "share",
        a = number(row, "a.value"),
        b = number(row, "b.value");
    if (a === undefined || b === undefined || (!isShare && !(a > 0))) return undefined;
    const change = of === "value" ? b - a : number(row, "change." + of);
    return change === undefined ? undefined : (100 * change) / (isShare ? 1 : a);
}
const signed = (v, unit) => (v === undefined ? "" : `${v < 0 ? "−" : "+"}${Math.abs(v).toFixed(2)}${unit}`);
const intervalWords = (low, high, unit) =>
    low === undefined || high === undefined ? "" : `${signed(low, unit)} to ${signed(high, unit)}`;
const isOutside = (row) => /^(better|worse)$/.test(text(row, "verdict"));

// How far the picture reaches on both sides of no change: all changes, and the intervals outside chance.
function reachOf(compared) {
    const bounds = compared.flatMap((r) => (isOutside(r) ? [rowChange(r, "low"), rowChange(r, "high")] : []));
    const all = [...compared.map((r) => rowChange(r, "value")), ...bounds].filter((v) => v !== undefined).map(Math.abs);
    return Math.max(1.1 * Math.max(...all, 0), 0.5);
}

// The line is the interval, the dot the change, the middle no change. A longer line ends at the edge.
function whisker(kind, value, low, high, reach, words) {
    const svg = h("svg:svg", { class: "whisker " + kind, role: "img", "aria-label": words });
    const x = (v) => Math.max(0, Math.min(100, 50 + (50 * v) / reach)).toFixed(3) + "%";
    svg.append(h("svg:line", { class: "tick", x1: "50%", x2: "50%", y1: 0, y2: 18 }));
    if (low !== undefined && high !== undefined)
        svg.append(h("svg:line", { class: "span", x1: x(low), x2: x(high), y1: 9, y2: 9 }));
    if (value !== undefined) svg.append(h("svg:circle", { cx: x(value), cy: 9, r: 4 }));
    return svg;
}

function rowPicture(row, reach) {
    const low = rowChange(row, "low"),
        high = rowChange(row, "high"),
        value = rowChange(row, "value");
    if (value === undefined) return "";
    return whisker(text(row, "verdict").replace(" ", "-"), value, low, high, reach, text(row, "verdict"));
}

function rowsTable(compared, unit) {
    const reach = reachOf(compared);
    return table(compared, [
        ["row", "row"],
        ["A", (r) => rowValue(r, number(r, "a.value")), "num"],
        ["B", (r) => rowValue(r, number(r, "b.value")), "num"],
        ["change", (r) => signed(rowChange(r, "value"), unit), "num"],
        [`−${reach.toFixed(1)}${unit} to +${reach.toFixed(1)}${unit}`, (r) => rowPicture(r, reach), "picture"],
        ["interval", (r) => intervalWords(rowChange(r, "low"), rowChange(r, "high"), unit), "num"],
        ["verdict", "verdict"],
    ]);
}

function gainsTable(c) {
    const gains = list(c, "advice"),
        inPoints = (g, k) => number(g, k);
    const all = gains.flatMap((g) => ["predictedPoints", "obtainedPoints.value"].map((k) => inPoints(g, k) ?? 0));
    const reach = Math.max(1.1 * Math.max(...all.map(Math.abs), 0), 0.5);
    const picture = (g) => {
        const value = inPoints(g, "obtainedPoints.value"),
            low = inPoints(g, "obtainedPoints.low"),
            high = inPoints(g, "obtainedPoints.high");
        return value === undefined ? "" : whisker("within-chance", value, low, high, reach, signed(value, " points"));
    };
    return (
        gains.length > 0 && [
            h2("What came of the advice of A"),
            note(
                "Predicted is the gain in goodput that the status of A named. Obtained is what goodput gained as the buckets that the change lowers took less of the productive time, whatever the reason.",
            ),
            table(gains, [
                ["advice", "kind"],
                ["predicted", (g) => signed(inPoints(g, "predictedPoints"), " points"), "num"],
                ["obtained", (g) => signed(inPoints(g, "obtainedPoints.value"), " points"), "num"],
                [`−${reach.toFixed(1)} to +${reach.toFixed(1)}`, picture, "picture"],
                [
                    "interval",
                    (g) => intervalWords(inPoints(g, "obtainedPoints.low"), inPoints(g, "obtainedPoints.high"), ""),
                    "num",
                ],
                ["B", (g) => (pick(g, "advisedStill") === true ? "has it, too" : "")],
            ]),
        ]
    );
}

function sideLine(letter, side) {
    const from = number(side, "fromUnixMilliseconds"),
        to = number(side, "toUnixMilliseconds"),
        ledgers = number(side, "ledgers"),
        steps = number(side, "steps");
    const words = [
        from !== undefined && `${stamp(from)}, ${duration(to - from)}`,
        ledgers > 1 && `${ledgers} jobs one after the other`,
        steps > 0 && `${steps} steps`,
    ];
    return h(
        "p",
        { class: "side" },
        h("b", null, `${letter}: ${sideName(side)}`),
        " ",
        words.filter(Boolean).join(", "),
    );
}

function comparisonView(c) {
    const compared = list(c, "rows"),
        ofTime = compared.filter((r) => text(r, "unit") === "share"),
        others = compared.filter((r) => text(r, "unit") !== "share"),
        chance = number(c, "chance") ?? 0;
    const sections = {
        head: [
            h("h1", null, `${sideName(pick(c, "a"))} and ${sideName(pick(c, "b"))}`),
            sideLine("A", pick(c, "a")),
            sideLine("B", pick(c, "b")),
        ],
        shares: ofTime.length > 0 && [h2("Shares of time"), rowsTable(ofTime, "pt")],
        others: others.length > 0 && [h2("Steps, starts and interruptions"), rowsTable(others, "%")],
        gains: gainsTable(c),
        rule: note(
            `Better and worse: the interval of the change leaves 0 out. Each interval errs with a chance of ${(100 * chance).toFixed(3)} %, so that one comparison of equal jobs in 100 names a difference. Within chance does not mean equal. Too few: one side has under 3 executions, or steps in under 3 blocks.`,
        ),
    };
    return Object.entries(sections)
        .filter(([, contents]) => contents)
        .map(([name, contents]) => h("section", { "data-key": name }, contents));
}

// On a job's page: the name of another job opens the comparison.
const MAX_NAMES = 200;
function compareField(job) {
    const namespace = text(job, "metadata.namespace"),
        name = text(job, "metadata.name");
    const others = [...jobs.values()]
        .filter((j) => text(j, "metadata.namespace") === namespace && text(j, "metadata.name") !== name)
        .slice(0, MAX_NAMES);
    return [
        h2("Compare"),
        h(
            "label",
            { class: "soft" },
            "with job",
            h("input", { id: "other", type: "search", list: "others", placeholder: "NAME or NAMESPACE/NAME" }),
        ),
        h(
            "datalist",
            { id: "others" },
            others.map((j) => h("option", { value: text(j, "metadata.name") })),
        ),
    ];
}
addEventListener("change", (e) => {
    const open = route().job,
        value = e.target.id === "other" && e.target.value.trim();
    if (!open || !value) return;
    const slash = value.indexOf("/");
    const other = slash < 0 ? [open.namespace, value] : [value.slice(0, slash), value.slice(slash + 1)];
    location.hash = "#/compare/" + [open.namespace, open.name, ...other].map(encodeURIComponent).join("/");
});
