"use strict";
// Text from logs and objects is not trusted: it enters the document as text (textContent, plain attributes), never as
// markup. These files use no innerHTML, and the policy in the head runs no other script.

const SVG = "http://www.w3.org/2000/svg";

// Makes an element: h("a.note", {href: "#/"}, child, "text", null). Names with "svg:" are SVG.
function h(name, attributes, ...children) {
    const [tag, kind] = name.split("."),
        element = tag.startsWith("svg:") ? document.createElementNS(SVG, tag.slice(4)) : document.createElement(tag);
    if (kind) element.setAttribute("class", kind);
    for (const key in attributes || {}) {
        const value = attributes[key];
        if (value === null || value === undefined || value === false) continue;
        if (typeof value === "function") element.addEventListener(key, value);
        else element.setAttribute(key, value === true ? "" : String(value));
    }
    for (const child of children.flat(3))
        if (child !== null && child !== undefined && child !== false)
            element.append(child instanceof Node ? child : document.createTextNode(String(child)));
    return element;
}

const note = (...children) => h("p.note", null, ...children);
const h2 = (words) => h("h2", null, words);

// "status.time.wallMilliseconds" of any object; undefined if it is absent.
function pick(object, path) {
    let at = object;
    for (const key of path.split(".")) {
        if (at === null || typeof at !== "object") return undefined;
        at = at[key];
    }
    return at === null ? undefined : at;
}
const list = (object, path) => {
    const v = pick(object, path);
    return Array.isArray(v) ? v.filter((x) => x && typeof x === "object") : [];
};
const text = (object, path) => {
    const v = pick(object, path);
    return v === undefined || typeof v === "object" ? "" : String(v);
};
const number = (object, path) => {
    const v = pick(object, path);
    return typeof v === "number" && isFinite(v) ? v : undefined;
};
const time = (object, path) => {
    const v = Date.parse(text(object, path));
    return isFinite(v) ? v : undefined;
};

// [[number, number, ...], ...] of a report; other elements are left out.
const points = (object, path) =>
    list(object, path).filter(
        (p) => Array.isArray(p) && p.length > 1 && p.every((n) => typeof n === "number" && isFinite(n)),
    );
const isNarrow = () => innerWidth < 720;

// Formats milliseconds: 0.4 s, 42.0 s, 3 m 12 s, 2 h 03 m, 4 d 07 h.
function duration(ms) {
    if (ms === undefined) return "";
    const sign = ms < 0 ? "−" : "";
    ms = Math.abs(ms);
    if (ms < 59950) return sign + (ms / 1000).toFixed(1) + " s";
    const s = Math.round(ms / 1000),
        two = (n) => String(n).padStart(2, "0");
    if (s < 3600) return `${sign}${Math.floor(s / 60)} m ${two(s % 60)} s`;
    if (s < 86400) return `${sign}${Math.floor(s / 3600)} h ${two(Math.floor(s / 60) % 60)} m`;
    return `${sign}${Math.floor(s / 86400)} d ${two(Math.floor(s / 3600) % 24)} h`;
}
// "57.90% to 92.20%" where a score has an upper bound.
const range = (lower, upper) => (lower && upper && upper !== lower ? `${lower} to ${upper}` : lower);
// Short steps need more digits than waits.
const stepTime = (ms) => (ms === undefined ? "" : Math.abs(ms) < 10000 ? (ms / 1000).toFixed(3) + " s" : duration(ms));
// Times are shown in UTC, or in the browser's zone if the user asks for that.
const zone = { isLocal: false };
const offset = (ms) => (zone.isLocal ? -60000 * new Date(ms).getTimezoneOffset() : 0);
const iso = (ms) => new Date(ms + offset(ms)).toISOString();
const stamp = (ms) => (ms === undefined ? "" : iso(ms).slice(0, 19).replace("T", " "));
// an axis that is longer has days as ticks
const LONG = 2 * 86400e3;
const clock = (ms, span) =>
    span > LONG ? iso(ms).slice(5, 10) : span > 600e3 ? iso(ms).slice(11, 16) : iso(ms).slice(11, 19);
// The same digits as the status has: rounded to parts per million, and these to hundredths of a percent.
function percent(part, whole) {
    if (!(whole > 0)) return "";
    const ppm = Math.floor((1e6 * part) / whole + 0.5);
    return (Math.floor((ppm + 50) / 100) / 100).toFixed(2) + "%";
}
const chipHours = (v) => (v >= 100 ? Math.round(v).toLocaleString("en") : v.toFixed(v < 1 ? 3 : 1));

// Round times for the ticks of a time axis.
function timeTicks(from, to, max) {
    const steps = [
        1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800,
        2592000,
    ];
    const step = 1000 * (steps.find((s) => (to - from) / (1000 * s) <= max) || 31536000),
        shift = offset(from);
    const ticks = [];
    for (let t = Math.ceil((from + shift) / step) * step - shift; t <= to && ticks.length < 50; t += step)
        ticks.push(t);
    return ticks;
}
function numberTicks(from, to, max) {
    let step = 1;
    while ((to - from) / step > max) step *= String(step)[0] === "2" ? 2.5 : 2;
    const ticks = [];
    for (let v = Math.ceil(from / step) * step; v <= to; v += step) ticks.push(v);
    return ticks;
}
