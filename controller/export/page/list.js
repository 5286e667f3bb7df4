// The list of jobs: filter, order, range of time, and a row per job.

// "namespace/name": summary
let jobs = new Map();
// whether all jobs came once
let isLoaded = false;
// "namespace/name": list item
const rows = new Map();
const key = (j) => `${text(j, "metadata.namespace")}/${text(j, "metadata.name")}`;
const jobLink = (j) =>
    `#/job/${encodeURIComponent(text(j, "metadata.namespace"))}/${encodeURIComponent(text(j, "metadata.name"))}`;

const hours = (j, k) => {
    const v = parseFloat(text(j, "status.acceleratorHours." + k));
    return isFinite(v) ? v : 0;
};
const lostHours = (j) =>
    hours(j, "lost") + (pick(j, "status.acceleratorHours.lost") === undefined ? hours(j, "allocated") : 0);
const score = (k) => (j) => number(j, "status.goodputPPM." + k) ?? 2e6;
const phaseOf = (j) => text(j, "status.phase") || "New";
const byText = (of) => (a, b) => (of(a) < of(b) ? -1 : of(a) > of(b) ? 1 : 0);

// {name: [words, comparison]}; "-name" in the address turns it round.
const SORTS = {
    lost: ["chip-hours lost", (a, b) => lostHours(b) - lostHours(a)],
    goodput: ["goodput, lowest first", (a, b) => score("job")(a) - score("job")(b)],
    scheduling: ["scheduling goodput, lowest first", (a, b) => score("scheduling")(a) - score("scheduling")(b)],
    newest: ["newest first", (a, b) => (time(b, "status.time.start") ?? 0) - (time(a, "status.time.start") ?? 0)],
    phase: ["phase", byText(phaseOf)],
    name: ["name", byText((j) => text(j, "metadata.name"))],
};
const COLUMNS = [
    ["job", "name"],
    ["phase", "phase"],
    ["when", "newest"],
    ["of 100 %", "scheduling"],
    ["goodput", "goodput"],
    ["most lost to", "lost"],
];
const RANGES = {
    "": "all jobs",
    now: "what runs or waits now",
    3600: "the last hour",
    21600: "the last 6 hours",
    86400: "the last day",
    604800: "the last week",
    2592000: "the last 30 days",
    all: "all jobs, from the first start",
};
const WEEK = 604800e3;

const fleetNow = () => Math.max(0, ...[...jobs.values()].map((j) => time(j, "status.time.observedThrough") ?? 0));

// The time axis of the list, and whether a job belongs into it.
function rangeOf(query) {
    const chosen = query.get("range") || "",
        running = (j) => !hasEnded(pick(j, "status") || {}),
        starts = (of) =>
            [...jobs.values()]
                .filter(of)
                .map((j) => time(j, "status.time.start"))
                .filter((t) => t !== undefined);
    if (Number(chosen) > 0 && RANGES[chosen]) {
        const to = Math.max(fleetNow(), Date.now()),
            from = to - 1000 * chosen;
        return { from, to, holds: (j) => running(j) || time(j, "status.time.observedThrough") >= from };
    }
    const holds = chosen === "now" ? running : () => true,
        to = fleetNow();
    // All jobs are listed, and the axis is that of the jobs that run, of a week at most.
    const now = chosen === "all" ? [] : starts(running),
        first = Math.min(...(now.length ? now : starts(holds)), to);
    return { from: Math.min(chosen === "all" ? first : Math.max(first, to - WEEK), to - 60e3), to, holds };
}

function rowView(j, isDrawn) {
    const status = pick(j, "status") || {},
        phase = phaseOf(j),
        wrong = problems(status)
            .map((c) => `${text(c, "type")}: ${text(c, "reason")}`)
            .join(", "),
        age = ageWords(status, Date.now());
    return h(
        "li",
        { "data-key": key(j) },
        h(
            "a",
            { href: jobLink(j) },
            h(
                "div.name",
                null,
                text(j, "metadata.name"),
                h(
                    "small",
                    null,
                    [text(j, "metadata.namespace"), text(status, "target.queue")].filter(Boolean).join(" · "),
                ),
            ),
            h("div", null, h("span", { class: "badge " + phase }, phase), age && h("small.old", null, age)),
            h("div.strip-box", null, isDrawn && strip(status, shown.from, shown.to)),
            h("div.stack-box", null, isDrawn && stack(status)),
            h(
                "div",
                { class: "goodput num" },
                text(status, "goodput.job") || "–",
                text(status, "goodput.jobUpperBound") &&
                    h("small", null, "to " + text(status, "goodput.jobUpperBound")),
            ),
            h("div.top", null, text(status, "topBadput"), wrong && h("small.wrong", null, wrong)),
        ),
    );
}
// Charts are drawn when their row comes near the viewport, so that a thousand rows cost no more than the visible ones.
const sight = new IntersectionObserver(
    (entries) =>
        entries.forEach((e) => {
            const j = jobs.get(keyOf(e.target));
            if (!e.isIntersecting || !j) return;
            sight.unobserve(e.target);
            e.target.isDrawn = true;
            patch(e.target, rowView(j, true));
        }),
    { rootMargin: "600px" },
);
function rowOf(j, frame) {
    let item = rows.get(key(j));
    if (!item) {
        rows.set(key(j), (item = rowView(j, false)));
        sight.observe(item);
    } else if (item.job !== j || item.frame !== frame) patch(item, rowView(j, item.isDrawn));
    item.job = j;
    item.frame = frame;
    return item;
}

// Sums over the jobs in the list, so over what the filter left.
function tiles(found) {
    const count = (...phases) => found.filter((j) => phases.includes(phaseOf(j))).length,
        sum = (all, k) => all.reduce((s, j) => s + hours(j, k), 0);
    const known = found.filter((j) => pick(j, "status.acceleratorHours.productive") !== undefined),
        allocated = sum(known, "allocated"),
        productive = sum(known, "productive");
    const tile = (value, words, kind) =>
        h("div", { class: "tile " + (kind || "") }, h("b", null, value), h("span", null, words));
    return h(
        "div.tiles",
        null,
        tile(
            found.length,
            (found.length === 1 ? "job" : "jobs") + (found.length < jobs.size ? ` of ${jobs.size}` : ""),
        ),
        tile(count("Training"), "training", "productive"),
        tile(
            count("Queued", "Provisioning", "Starting", "Recovering", "Pending", "New"),
            "waiting or starting",
            "scheduling",
        ),
        allocated > 0 && tile(percent(productive, allocated), "of chip-hours productive", "productive"),
        allocated > 0 && tile(chipHours(allocated - productive), "chip-hours lost", "runtime"),
        sum(found, "waiting") > 0 && tile(chipHours(sum(found, "waiting")), "chip-hours waited for", "scheduling"),
    );
}

// the list as it was left: a job goes back to it
let home = "#/";
function setQuery(name, value) {
    const { query } = route();
    if (value) query.set(name, value);
    else query.delete(name);
    history.replaceState(null, "", "#/" + (String(query) ? "?" + query : ""));
    drawFleet();
}
ACTIONS.sort = (button) => {
    const name = button.getAttribute("data-sort"),
        now = route().query.get("sort") || "lost";
    setQuery("sort", now === name ? "-" + name : name === "lost" ? "" : name);
};
const choice = (label, name, options, value) =>
    h(
        "label",
        null,
        label,
        h(
            "select",
            { name, change: (e) => setQuery(name, e.target.value) },
            options.map(([v, words]) => h("option", { value: v, selected: v === value }, words)),
        ),
    );

function orderChoice(query) {
    const sort = query.get("sort") || "lost",
        [words] = SORTS[sort.slice(1)] || [];
    const options = Object.entries(SORTS).map(([k, [w]]) => [k, w]);
    if (sort[0] === "-" && words) options.push([sort, words + ", reversed"]);
    return choice("Order", "sort", options, sort);
}

function headRow(query) {
    const sort = query.get("sort") || "lost";
    return h(
        "li",
        { class: "head", "data-key": "/" },
        h(
            "div",
            null,
            COLUMNS.map(([words, name]) => {
                const isOn = sort.replace("-", "") === name,
                    isBack = sort.startsWith("-");
                const button = h(
                    "button",
                    {
                        type: "button",
                        "data-action": "sort",
                        "data-sort": name,
                        "aria-pressed": String(isOn),
                        title: "order by " + SORTS[name][0] + (isOn && !isBack ? ", reversed" : ""),
                    },
                    words,
                    isOn && (isBack ? " ▴" : " ▾"),
                );
                return h("div", { class: name === "newest" ? "strip-box" : "" }, button);
            }),
        ),
    );
}

function fleetFrame(query) {
    const parts = {
        tiles: h("div"),
        axis: h("div.axis-box"),
        head: headRow(query),
        order: orderChoice(query),
        list: h("ul.fleet"),
        empty: h("p", { class: "empty", role: "status" }),
    };
    parts.body = h(
        "div",
        null,
        parts.tiles,
        h(
            "div.tools",
            null,
            h(
                "label",
                null,
                "Filter",
                h("input", {
                    type: "search",
                    id: "filter",
                    value: query.get("q") || "",
                    placeholder: "name, namespace, queue, phase",
                    input: (e) => setQuery("q", e.target.value),
                }),
            ),
            parts.order,
            choice(
                "Show",
                "range",
                ["", "now", "3600", "21600", "86400", "604800", "2592000", "all"].map((v) => [v, RANGES[v]]),
                query.get("range") || "",
            ),
        ),
        h("div.legends", null, [
            legend(
                [
                    ["s-wait", "waiting for machines"],
                    ["s-recover", "after an interruption"],
                    ["s-suspended", "suspended"],
                    ["s-start", "starting"],
                    ["s-lost", "training that was lost"],
                    ["s-train", "training"],
                    ["s-blind", "steps not known"],
                ],
                "when",
            ),
            legend(
                [
                    ["f-productive", "kept"],
                    ["f-runtime", "lost: there, not training"],
                    ["f-scheduling", "lost: machines not there"],
                    ["f-unobserved", "not observed"],
                ],
                "of 100 %",
            ),
        ]),
        parts.axis,
        parts.list,
    );
    main.replaceChildren(h("h1.unseen", null, "Jobs"), fleetsBox, parts.body, parts.empty);
    return { kind: "fleet", parts };
}

function filtered(query, holds) {
    const words = (query.get("q") || "").toLowerCase().split(/\s+/).filter(Boolean);
    const sort = query.get("sort") || "lost",
        order = (SORTS[sort.replace("-", "")] || SORTS.lost)[1],
        sign = sort.startsWith("-") ? -1 : 1;
    return [...jobs.values()]
        .filter((j) => {
            const wrong = problems(pick(j, "status") || {}).map((c) => `${text(c, "type")} ${text(c, "reason")}`);
            const hay =
                `${key(j)} ${text(j, "status.target.queue")} ${phaseOf(j)} ${text(j, "status.topBadput")} ${wrong}`.toLowerCase();
            return words.every((w) => hay.includes(w)) && holds(j);
        })
        .sort((a, b) => sign * order(a, b) || (key(a) < key(b) ? -1 : 1));
}

function emptyWords(found) {
    if (!isLoaded)
        return isConnected === false ? "Not connected to the controller; trying again." : "Loading the jobs…";
    if (found.length) return "";
    return jobs.size
        ? "No job matches the filter."
        : "There is no JobGoodput yet. kubectl apply one for a training job, and it appears here.";
}

function drawFleet() {
    const { query } = route();
    home = location.hash || "#/";
    if (!shown || shown.kind !== "fleet") {
        shown = fleetFrame(query);
        rows.clear();
    }
    document.title = titleOf("Goodput");
    const { from, to, holds } = rangeOf(query),
        found = filtered(query, holds);
    // The axis moves in steps of a hundredth, so that most rows need no redraw.
    const grain = Math.max((to - from) / 100, 1000),
        frame = `${Math.floor(from / grain)} ${Math.ceil(to / grain)} ${Math.round(grain)} ${zone.isLocal}`;
    if (frame !== shown.frame) Object.assign(shown, { frame, from, to: Math.ceil(to / grain) * grain });
    shown.parts.body.hidden = !isLoaded || jobs.size === 0;
    shown.parts.empty.textContent = emptyWords(found);
    if (shown.parts.body.hidden) return;
    const focused = document.activeElement;
    patchChildren(shown.parts.tiles, [tiles(found)]);
    patchChildren(shown.parts.axis, [axis(shown.from, shown.to, isNarrow() ? 4 : 6)]);
    patch(shown.parts.head, headRow(query));
    // The head of a column orders, too.
    patch(shown.parts.order, orderChoice(query));
    shown.parts.order.lastElementChild.value = query.get("sort") || "lost";
    patchChildren(shown.parts.list, [shown.parts.head, ...found.map((j) => rowOf(j, frame))]);
    if (focused !== document.activeElement && focused.isConnected) focused.focus({ preventScroll: true });
}
