// The page: one job from the data in the document (a report), or the live list of jobs.

const main = document.getElementById("main"),
    live = document.getElementById("live"),
    notice = document.getElementById("notice");
// #/?q=llama&sort=name&range=86400 or #/job/NAMESPACE/NAME or #/compare/NAMESPACE/NAME/NAMESPACE/NAME
function route() {
    const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
    const [kind, ...parts] = path.split("/");
    let names = [];
    try {
        names = parts.map(decodeURIComponent);
    } catch {
        names = [];
    }
    const job = (i) => ({ namespace: names[i], name: names[i + 1] });
    return {
        job: kind === "job" && names.length === 2 ? job(0) : null,
        pair: kind === "compare" && names.length === 4 ? [job(0), job(2)] : null,
        query: new URLSearchParams(query || ""),
    };
}
const isAtList = () => !route().job && !route().pair;

// the present contents: {kind, ...}
let shown = null;
// the job in the document, if it is a report
let report = null;

const titleOf = (words) => words + (cluster && ` – ${cluster}`);
const backLink = () => h("p", { class: "note", "data-key": "back" }, h("a", { href: home }, "← all jobs"));

function drawJob(job) {
    if (!shown || shown.kind !== "job" || shown.key !== key(job)) main.replaceChildren();
    shown = { kind: "job", key: key(job), job };
    document.title = titleOf(`${text(job, "metadata.name")} ${text(job, "status.goodput.job")} – Goodput`);
    patchChildren(main, [report ? null : backLink(), ...jobView(job)].filter(Boolean));
}
function say(title, words) {
    main.replaceChildren(backLink(), h("h1", null, title), h("p", { class: "empty", role: "status" }, words));
}
const sayOfJob = ({ namespace, name }, words) => say(`${namespace}/${name}`, words);

function drawComparison(comparison) {
    shown = { kind: "comparison", comparison };
    document.title = titleOf(`${sideName(pick(comparison, "a"))} and ${sideName(pick(comparison, "b"))} – Goodput`);
    main.replaceChildren(...[report ? null : backLink(), ...comparisonView(comparison)].filter(Boolean));
}
async function openComparison([a, b]) {
    const mine = location.hash,
        title = `${a.namespace}/${a.name} and ${b.namespace}/${b.name}`;
    say(title, "Loading…");
    const query = new URLSearchParams({ ...a, otherNamespace: b.namespace, otherName: b.name });
    const answer = await fetch("compare?" + query, { signal: AbortSignal.timeout(30000) }).catch(() => null);
    const comparison = answer && answer.ok ? await answer.json().catch(() => null) : null;
    const words = answer && !answer.ok ? await answer.text().catch(() => "") : "";
    if (location.hash !== mine) return;
    if (comparison) return drawComparison(comparison);
    say(title, words.trim() || "The controller did not answer.");
}
const jobStatus = () => (shown && shown.kind === "job" && pick(shown.job, "status")) || {};

// The address holds the part of the time axis that is shown.
function setZoom(view) {
    const whole = wholeOf(jobStatus());
    zoom = view && whole && view[1] - view[0] < whole[1] - whole[0] ? view : null;
    const [path, rest] = location.hash.split("?"),
        query = new URLSearchParams(rest || "");
    if (zoom) query.set("t", zoom.join("-"));
    else query.delete("t");
    history.replaceState(null, "", (path || "#/") + (String(query) ? "?" + query : ""));
    drawJob(shown.job);
}
function readZoom() {
    const [, from, to] = /^(\d{1,15})-(\d{1,15})$/.exec(route().query.get("t") || "") || [];
    zoom = from && Number(to) > Number(from) ? [Number(from), Number(to)] : null;
}
const currentView = () => (shown && shown.kind === "job" ? inView(shown.job, jobStatus()) : null);
function moveView(name) {
    const view = currentView();
    if (view) setZoom(MOVES[name] && moved(view, wholeOf(jobStatus()), MOVES[name]));
}
ACTIONS.zoom = (button) => moveView(button.getAttribute("data-move"));
brush(main, currentView, setZoom);

// One request after the other: of two parallel ones the older answer may come last.
// {namespace, name, again: it changed since}
let asking = null;
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
    // the user left the job meanwhile
    if (asking !== mine) return;
    asking = null;
    const now = route().job;
    if (!now || now.namespace !== namespace || now.name !== name) return;
    if (mine.again) openJob(mine);
    if (job) return drawJob(job);
    if (!answer || !(answer.status === 404 || answer.ok))
        return setTimeout(() => {
            const open = route().job;
            if (open && !asking) openJob(open);
            // not reachable or disconnected
        }, 1000);
    shown = null;
    sayOfJob({ namespace, name }, "There is no such JobGoodput.");
}

let due = false;
function draw() {
    if (due) return;
    due = true;
    requestAnimationFrame(() => {
        due = false;
        if (isAtList()) drawFleet();
    });
}

// null: not known yet
let isConnected = null;
// the newest time in any status, which is what is still shown after a connection was lost
let asOf = "";
function setConnected(is) {
    if (isConnected === is) return;
    isConnected = is;
    live.textContent = is ? "live" : "not connected, trying again";
    live.className = is ? "" : "off";
    // Before anything came there is nothing old to warn of: the list says that itself.
    notice.hidden = is || !(isLoaded || shown?.kind === "job");
    notice.textContent = notice.hidden
        ? ""
        : `Not connected to the controller. These numbers are as of ${asOf || "before"}.`;
    draw();
}

// Of which cluster the jobs are; "" if the controller does not know.
let cluster = "";
function setCluster(name) {
    if (name === cluster) return;
    cluster = name;
    document.getElementById("cluster").textContent = name;
    redraw();
}

function showAsOf() {
    asOf = stamp(fleetNow() || undefined);
    document.getElementById("as-of").textContent = asOf && ` · ${asOf.slice(11)}`;
}

function take(news) {
    const open = route().job;
    if (news.reset) {
        incoming = new Map();
        setCluster(text(news, "clusterName"));
    }
    const into = incoming || jobs;
    list(news, "jobs").forEach((j) => into.set(key(j), j));
    list(news, "deleted").forEach((j) => into.delete(key(j)));
    const concerns = (j) =>
        open && text(j, "metadata.namespace") === open.namespace && text(j, "metadata.name") === open.name;
    if (open && [...list(news, "jobs"), ...list(news, "deleted")].some(concerns)) openJob(open);
    // many messages of jobs are drawn once
    if (news.more) return;
    if (incoming) jobs = incoming;
    incoming = null;
    isLoaded = true;
    showAsOf();
    draw();
}
// all jobs again, until the last of them came
let incoming = null;

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
        setConnected(true);
    };
    socket.onmessage = (e) => take(JSON.parse(e.data));
    socket.onclose = () => {
        setConnected(false);
        // The shared page's token may have expired.
        if (!isOpen)
            fetch("fleets").then(
                (r) => r.status === 401 && location.reload(),
                () => {},
            );
        setTimeout(() => listen(Math.min(2 * wait, 15000)), isOpen ? 1000 : wait);
    };
}

// the job in the address
let openKey = "";
function go() {
    const { job, pair } = route(),
        left = openKey;
    openKey = job ? `${job.namespace}/${job.name}` : "";
    shown = null;
    opened.clear();
    readZoom();
    if (job) {
        sayOfJob(job, "Loading…");
        openJob(job);
        main.focus({ preventScroll: true });
        return scrollTo(0, 0);
    }
    if (pair) {
        openComparison(pair);
        return scrollTo(0, 0);
    }
    drawFleet();
    // Back in the list, at the row that was open.
    const again = left && rows.get(left);
    if (again && again.isConnected) again.firstChild.focus();
    else scrollTo(0, 0);
}

function redraw() {
    if (shown && shown.kind === "comparison") drawComparison(shown.comparison);
    else if (report || (shown && shown.kind === "job")) drawJob(shown.job);
    else if (isAtList()) drawFleet();
}

// The labels on bars and axes depend on their width.
matchMedia("(max-width: 720px)").addEventListener("change", redraw);

const zoneButton = document.getElementById("zone");
function setZone(isLocal) {
    zone.isLocal = isLocal;
    zoneButton.textContent = isLocal ? "times are local" : "times are UTC";
    try {
        localStorage.setItem("zone", isLocal ? "local" : "UTC");
    } catch {
        // A file's page may have no storage; the choice then lasts as long as the page.
    }
}
ACTIONS.zone = () => {
    setZone(!zone.isLocal);
    if (isLoaded) showAsOf();
    redraw();
};
try {
    setZone(localStorage.getItem("zone") === "local");
} catch {
    setZone(false);
}

addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName);
    if (e.key === "Escape" && !typing && !isAtList()) location.hash = home;
    else if (e.key === "Escape" && typing) e.target.blur();
    else if (typing) return;
    else if (MOVE_KEYS[e.key] && currentView()) moveView(MOVE_KEYS[e.key]);
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

// The patterns, once for all charts: what is lost, unknown or suspended differs by more than its color.
const pattern = (id, ...shapes) =>
    h(
        "svg:pattern",
        { id, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
        h("svg:rect", { class: `${id}-ground`, width: 6, height: 6 }),
        shapes,
    );
document.body.prepend(
    h(
        "svg:svg",
        { width: 0, height: 0, "aria-hidden": "true", class: "defs" },
        h(
            "svg:defs",
            null,
            pattern("lost", h("svg:line", { class: "lost-line", x1: 0, y1: 0, x2: 0, y2: 6 })),
            pattern("blind", h("svg:circle", { class: "blind-dot", cx: 3, cy: 3, r: 1.3 })),
            pattern("suspended", h("svg:line", { class: "suspended-line", x1: 0, y1: 3, x2: 6, y2: 3 })),
            pattern(
                "mixed",
                h("svg:rect", { class: "mixed-a", width: 3, height: 6 }),
                h("svg:rect", { class: "mixed-b", x: 3, width: 3, height: 6 }),
            ),
        ),
    ),
);

const data = document.getElementById("data").textContent.trim();
if (data) {
    const job = (report = JSON.parse(data));
    readZoom();
    if (pick(job, "comparison")) drawComparison(job.comparison);
    else drawJob(job);
    live.textContent =
        text(job, "status.time.observedThrough") && `report as of ${stamp(time(job, "status.time.observedThrough"))}`;
    document.getElementById("keys").remove();
} else {
    addEventListener("hashchange", go);
    // what is old by now is marked
    setInterval(draw, 60000);
    go();
    listen(500);
    readFleets();
    setInterval(readFleets, 30000);
}
