// A new status changes the document in place: what a person selected, focused or opened stays as it was.

// The ids of what a person opened. A view asks it, so that a redraw opens the same.
const opened = new Set();

const keyOf = (node) => (node.nodeType === 1 && node.getAttribute("data-key")) || "";

// Makes a node like another one and changes only what differs. Handlers are not compared: those of patched elements
// are delegated (data-action).
function patch(node, next) {
    if (node.nodeName !== next.nodeName || keyOf(node) !== keyOf(next)) return node.replaceWith(next);
    if (node.nodeType !== 1) {
        if (node.data !== next.data) node.data = next.data;
        return;
    }
    for (const { name } of [...node.attributes]) if (!next.hasAttribute(name)) node.removeAttribute(name);
    for (const { name, value } of next.attributes)
        if (node.getAttribute(name) !== value) node.setAttribute(name, value);
    patchChildren(node, [...next.childNodes]);
}

// Children with a key (a section, a row) keep their element when others come, go or move.
function patchChildren(parent, next) {
    const kept = new Set(next.map(keyOf)),
        keyed = new Map();
    for (const child of [...parent.children]) {
        if (!keyOf(child)) continue;
        if (kept.has(keyOf(child))) keyed.set(keyOf(child), child);
        else child.remove();
    }
    let at = parent.firstChild;
    for (const node of next) {
        const old = keyOf(node) ? keyed.get(keyOf(node)) : at && !keyOf(at) ? at : undefined;
        if (!old) {
            parent.insertBefore(node, at);
            continue;
        }
        if (old !== at) parent.insertBefore(old, at);
        else at = at.nextSibling;
        if (old !== node) patch(old, node);
    }
    while (at) {
        const after = at.nextSibling;
        at.remove();
        at = after;
    }
}

// What a button with data-action does: {name: function(button)}.
const ACTIONS = {
    toggle(button) {
        const id = button.getAttribute("aria-controls"),
            isOpen = !opened.delete(id);
        if (isOpen) opened.add(id);
        button.setAttribute("aria-expanded", String(isOpen));
        document.getElementById(id).hidden = !isOpen;
    },
    async copy(button) {
        await navigator.clipboard.writeText(button.previousElementSibling.textContent).catch(() => null);
        button.textContent = "copied";
        setTimeout(() => (button.textContent = "copy"), 1500);
    },
};
addEventListener("click", (e) => {
    const button = e.target.closest("[data-action]");
    if (button) ACTIONS[button.getAttribute("data-action")](button);
});

const toggleButton = (id, words, kind) =>
    h(
        "button",
        {
            type: "button",
            class: kind,
            "data-action": "toggle",
            "aria-expanded": String(opened.has(id)),
            "aria-controls": id,
        },
        words,
    );

// The start of a long text up to the end of a word, and the rest on demand.
const CUT = 120;
function brief(id, words) {
    if (words.length <= 1.25 * CUT) return words;
    const space = words.lastIndexOf(" ", CUT),
        at = space > CUT / 2 ? space : CUT;
    return [
        words.slice(0, at),
        h("span", { id, hidden: !opened.has(id) }, words.slice(at)),
        " ",
        toggleButton(id, "…", "more"),
    ];
}
