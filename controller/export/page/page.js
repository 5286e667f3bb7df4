// The page: one job from the data in the document (a report), or the live list of jobs.

const main = document.getElementById("main"),
    live = document.getElementById("live");
const jobs = new Map(),
    rows = new Map(); // "namespace/name": summary; its list item
const key = (j) => `${text(j, "metadata.namespace")}/${text(j, "metadata.name")}`;
const jobLink = (j) =>
    `#/job/${encodeURIComponent(text(j, "metadata.namespace"))}/${encodeURIComponent(text(j, "metadata.name"))}`;

// #/?q=llama&sort=name&range=86400 or #/job/NAMESPACE/NAME
function route() {
    const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
    const parts = path.split("/");
    let names = null;
    try {
        if (parts[0] === "job" && parts.length === 3) names = parts.slice(1).map(decodeURIComponent);
    } catch {
        names = null;
    }
    return { job: names && { namespace: names[0], name: names[1] }, query: new URLSearchParams(query || "") };
}

const SORTS = {
    lost: ["chip-hours lost", (a, b) => lostHours(b) - lostHours(a)],
    goodput: [
        "goodput, lowest first",
        (a, b) => (number(a, "status.goodputPPM.job") ?? 2e6) - (number(b, "status.goodputPPM.job") ?? 2e6),
    ],
    newest: ["newest first", (a, b) => (time(b, "status.time.start") ?? 0) - (time(a, "status.time.start") ?? 0)],
    name: ["name", () => 0],
};
const hours = (j, k) => {
    const v = parseFloat(text(j, "status.acceleratorHours." + k));
    return isFinite(v) ? v : 0;
};
const lostHours = (j) =>
    hours(j, "lost") + (pick(j, "status.acceleratorHours.lost") === undefined ? hours(j, "allocated") : 0);
const RANGES = { 3600: "an hour", 21600: "6 hours", 86400: "a day", 604800: "a week", 2592000: "30 days", all: "all" };

const fleetNow = () => Math.max(0, ...[...jobs.values()].map((j) => time(j, "status.time.observedThrough") ?? 0));
function rangeOf(query, now) {
    const starts = [...jobs.values()].map((j) => time(j, "status.time.start")).filter((t) => t !== undefined);
    const oldest = starts.length ? Math.min(...starts) : now - 3600e3;
    const range = query.get("range");
    if (range && range !== "all" && RANGES[range]) return [now - 1000 * range, now];
    const running = [...jobs.values()]
        .filter((j) => pick(j, "status.time.end") === undefined)
        .map((j) => time(j, "status.time.start"))
        .filter((t) => t !== undefined);
    const from = range === "all" || !running.length ? oldest : Math.max(Math.min(...running), now - 604800e3);
    return [Math.min(from, now - 60e3), now];
}

function row(j, from, to) {
    const status = pick(j, "status") || {},
        phase = text(status, "phase") || "New";
    const box = h("div", { class: "strip-box" });
    const item = h(
        "li",
        null,
        h(
            "a",
            { href: jobLink(j) },
            h(
                "div",
                { class: "name" },
                text(j, "metadata.name"),
                h(
                    "small",
                    null,
                    text(j, "metadata.namespace") +
                        (text(status, "target.queue") ? ` · ${text(status, "target.queue")}` : ""),
                ),
            ),
            h("div", null, h("span", { class: "badge " + phase }, phase)),
            box,
            h(
                "div",
                { class: "goodput num" },
                text(status, "goodput.job") || "–",
                text(status, "goodput.jobUpperBound") &&
                    h("small", null, "to " + text(status, "goodput.jobUpperBound")),
            ),
            h("div", { class: "top" }, text(status, "topBadput")),
        ),
    );
    item.draw = () => {
        if (!box.firstChild) box.append(strip(status, from, to));
    };
    return item;
}
// A strip is drawn when its row comes near the viewport, so that a thousand rows cost no more than the visible ones.
const sight = new IntersectionObserver(
    (entries) =>
        entries.forEach((e) => {
            if (e.isIntersecting) {
                e.target.draw();
                sight.unobserve(e.target);
            }
        }),
    { rootMargin: "600px" },
);

function tiles() {
    const all = [...jobs.values()],
        count = {};
    all.forEach((j) => {
        const p = text(j, "status.phase") || "New";
        count[p] = (count[p] || 0) + 1;
    });
    const sum = (k) => all.reduce((s, j) => s + hours(j, k), 0);
    const known = all.filter((j) => pick(j, "status.acceleratorHours.productive") !== undefined);
    const allocated = known.reduce((s, j) => s + hours(j, "allocated"), 0),
        productive = known.reduce((s, j) => s + hours(j, "productive"), 0);
    const tile = (value, words, kind) =>
        h("div", { class: "tile " + (kind || "") }, h("b", null, value), h("span", null, words));
    return [
        h(
            "div",
            { class: "tiles" },
            tile(all.length, all.length === 1 ? "job" : "jobs"),
            tile(count.Training || 0, "training", "productive"),
            tile(
                ["Queued", "Provisioning", "Starting", "Recovering", "Pending"].reduce(
                    (s, p) => s + (count[p] || 0),
                    0,
                ),
                "waiting or starting",
                "scheduling",
            ),
            allocated > 0 && tile(percent(productive, allocated), "of chip-hours productive", "productive"),
            allocated > 0 && tile(chipHours(allocated - productive), "chip-hours lost", "runtime"),
            sum("waiting") > 0 && tile(chipHours(sum("waiting")), "chip-hours waited for", "scheduling"),
        ),
    ];
}

let shown = null; // the present contents: {kind, ...}
function setQuery(name, value) {
    const { query } = route();
    if (value) query.set(name, value);
    else query.delete(name);
    history.replaceState(null, "", "#/" + (String(query) ? "?" + query : ""));
    drawFleet();
}
const choice = (label, name, options, value) =>
    h(
        "label",
        null,
        label,
        h(
            "select",
            { name, change: (e) => setQuery(name, e.target.value) },
            Object.entries(options).map(([v, words]) => h("option", { value: v, selected: v === value }, words)),
        ),
    );

function fleetFrame(query) {
    const parts = {
        tiles: h("div"),
        axis: h("div", { class: "strip-box" }),
        list: h("ul", { class: "fleet" }),
        empty: h("p", { class: "empty", hidden: true }),
    };
    const head = h(
        "li",
        { class: "head" },
        h(
            "div",
            null,
            h("span", null, "job"),
            h("span", null, "phase"),
            parts.axis,
            h("span", null, "goodput"),
            h("span", null, "most lost to"),
        ),
    );
    parts.head = head;
    main.replaceChildren(
        fleetsBox,
        parts.tiles,
        h(
            "div",
            { class: "tools" },
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
            choice(
                "Order",
                "sort",
                Object.fromEntries(Object.entries(SORTS).map(([k, [words]]) => [k, words])),
                query.get("sort") || "lost",
            ),
            choice("Show", "range", { "": "what runs now", ...RANGES }, query.get("range") || ""),
        ),
        legend([
            ["s-wait", "waiting for machines"],
            ["s-recover", "after an interruption"],
            ["s-start", "starting"],
            ["s-train", "training"],
            ["s-blind", "steps not known"],
            ["s-suspended", "suspended"],
        ]),
        parts.list,
        parts.empty,
    );
    return { kind: "fleet", parts };
}

function drawFleet() {
    const { query } = route();
    if (!shown || shown.kind !== "fleet") {
        shown = fleetFrame(query);
        rows.clear();
        shown.frame = "";
    }
    document.title = "Goodput";
    const now = fleetNow(),
        [from, to] = rangeOf(query, now);
    const words = (query.get("q") || "").toLowerCase().split(/\s+/).filter(Boolean);
    const found = [...jobs.values()].filter((j) => {
        const hay =
            `${key(j)} ${text(j, "status.target.queue")} ${text(j, "status.phase")} ${text(j, "status.topBadput")}`.toLowerCase();
        return (
            words.every((w) => hay.includes(w)) &&
            !(query.get("range") && query.get("range") !== "all" && time(j, "status.time.observedThrough") < from)
        );
    });
    const order = (SORTS[query.get("sort")] || SORTS.lost)[1];
    found.sort((a, b) => order(a, b) || (key(a) < key(b) ? -1 : 1));
    // The axis moves in steps of a hundredth, so that most rows need no redraw.
    const grain = Math.max((to - from) / 100, 1000),
        frame = `${Math.floor(from / grain)} ${Math.ceil(to / grain)} ${Math.round(grain)}`;
    if (frame !== shown.frame) {
        rows.clear();
        shown.frame = frame;
        shown.from = from;
        shown.to = Math.ceil(to / grain) * grain;
    }
    const focused = document.activeElement && document.activeElement.getAttribute("href");
    const items = found.map((j) => {
        let item = rows.get(key(j));
        if (!item || item.job !== j) {
            item = row(j, shown.from, shown.to);
            item.job = j;
            rows.set(key(j), item);
            sight.observe(item);
        }
        return item;
    });
    shown.parts.tiles.replaceChildren(...tiles());
    shown.parts.axis.replaceChildren(axis(shown.from, shown.to, isNarrow() ? 4 : 6));
    shown.parts.list.replaceChildren(shown.parts.head, ...items);
    shown.parts.empty.hidden = found.length > 0;
    shown.parts.empty.textContent = jobs.size
        ? "No job matches the filter."
        : "There is no JobGoodput yet. kubectl apply one for a training job, and it appears here.";
    if (focused && focused.startsWith("#/job/")) {
        const again = [...main.querySelectorAll("a")].find((a) => a.getAttribute("href") === focused);
        if (again) again.focus({ preventScroll: true });
    }
}

function drawJob(job, isReport) {
    const opened = new Set([...main.querySelectorAll("button[aria-expanded=true]")].map((b) => b.textContent));
    const y = scrollY,
        same = shown && shown.kind === "job" && shown.key === key(job);
    shown = { kind: "job", key: key(job) };
    document.title = `${text(job, "metadata.name")} ${text(job, "status.goodput.job")} – Goodput`;
    main.replaceChildren(
        ...[isReport ? null : h("p", { class: "note" }, h("a", { href: "#/" }, "← all jobs")), jobView(job)]
            .flat(9)
            .filter(Boolean),
    );
    if (!same) return;
    main.querySelectorAll("button[aria-expanded]").forEach((b) => {
        if (opened.has(b.textContent)) b.click();
    });
    scrollTo(0, y);
}

// One request after the other: of two parallel ones the older answer may come last.
let asking = null; // {namespace, name, again: it changed since}
async function openJob({ namespace, name }) {
    if (asking && asking.namespace === namespace && asking.name === name) {
        asking.again = true;
        return;
    }
    const mine = (asking = { namespace, name, again: false });
    const answer = await fetch(`job?namespace=${encodeURIComponent(namespace)}&name=${encodeURIComponent(name)}`, {
        signal: AbortSignal.timeout(30000),
    }).catch(() => null);
    const job = answer && answer.ok ? await answer.json().catch(() => null) : null;
    if (asking !== mine) return; // the user left the job meanwhile
    asking = null;
    const now = route().job;
    if (!now || now.namespace !== namespace || now.name !== name) return;
    if (mine.again) openJob(mine);
    if (job) return drawJob(job);
    if (!answer || answer.ok)
        return setTimeout(() => {
            const open = route().job;
            if (open && !asking) openJob(open);
        }, 1000); // not reachable or disconnected
    shown = null;
    main.replaceChildren(
        h("p", { class: "note" }, h("a", { href: "#/" }, "← all jobs")),
        h("p", { class: "empty" }, `There is no JobGoodput ${namespace}/${name}.`),
    );
}

let report = null; // the job in the document, if it is a report
let due = false;
function draw() {
    if (due) return;
    due = true;
    requestAnimationFrame(() => {
        due = false;
        if (!route().job) drawFleet();
    });
}

function listen(wait) {
    const socket = new WebSocket(
        location.href
            .replace(/^http/, "ws")
            .replace(/[?#].*$/, "")
            .replace(/[^/]*$/, "feed"),
        "goodput",
    );
    let isOpen = false;
    socket.onopen = () => {
        isOpen = true;
        live.textContent = "live";
        live.className = "";
    };
    socket.onmessage = (e) => {
        const news = JSON.parse(e.data),
            open = route().job;
        if (news.reset) jobs.clear();
        list(news, "jobs").forEach((j) => jobs.set(key(j), j));
        list(news, "deleted").forEach((j) => jobs.delete(key(j)));
        live.textContent = `live · ${stamp(fleetNow()).slice(11)}`;
        const concerns = (j) =>
            open && text(j, "metadata.namespace") === open.namespace && text(j, "metadata.name") === open.name;
        if (open && [...list(news, "jobs"), ...list(news, "deleted")].some(concerns)) openJob(open);
        if (!news.more) draw(); // many messages of jobs are drawn once
    };
    socket.onclose = () => {
        live.textContent = "not connected, trying again";
        live.className = "off";
        setTimeout(() => listen(Math.min(2 * wait, 15000)), isOpen ? 1000 : wait);
    };
}

function go() {
    const { job } = route();
    if (job) {
        shown = null;
        openJob(job);
    } else {
        shown = null;
        drawFleet();
    }
    scrollTo(0, 0);
}

// The labels on bars and axes depend on their width.
matchMedia("(max-width: 720px)").addEventListener("change", () => {
    if (report) drawJob(report, true);
    else go();
});

addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName);
    if (e.key === "Escape" && route().job) location.hash = "#/";
    else if (e.key === "Escape" && typing) e.target.blur();
    else if (typing) return;
    else if (e.key === "/" && document.getElementById("filter")) {
        e.preventDefault();
        document.getElementById("filter").focus();
    } else if (/^(Arrow(Up|Down)|j|k)$/.test(e.key) && shown && shown.kind === "fleet") {
        const links = [...main.querySelectorAll(".fleet a")],
            at = links.indexOf(document.activeElement),
            step = /Up|k/.test(e.key) ? -1 : 1;
        const next = links[at < 0 ? 0 : Math.max(0, Math.min(links.length - 1, at + step))];
        if (next) {
            e.preventDefault();
            next.focus();
        }
    }
});

// The pattern of lost work, once for all charts.
document.body.prepend(
    h(
        "svg:svg",
        { width: 0, height: 0, "aria-hidden": "true", class: "defs" },
        h(
            "svg:defs",
            null,
            h(
                "svg:pattern",
                { id: "lost", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
                h("svg:line", { class: "hatch", x1: 0, y1: 0, x2: 0, y2: 6 }),
            ),
        ),
    ),
);

const data = document.getElementById("data").textContent.trim();
if (data) {
    const job = (report = JSON.parse(data));
    drawJob(job, true);
    live.textContent =
        text(job, "status.time.observedThrough") && `report as of ${stamp(time(job, "status.time.observedThrough"))}`;
    document.getElementById("keys").remove();
} else {
    addEventListener("hashchange", go);
    go();
    listen(500);
    readFleets();
    setInterval(readFleets, 30000);
}
