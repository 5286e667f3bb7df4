#include "export/document.h"

#include "base/base64.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "export/assets.h"

#include <errno.h>
#include <string.h>

/* Without indentation, comments and most line ends: half of the bytes. No string of an asset spans lines, and prettier
 * ends every statement with a semicolon. */
static void append_lines(struct buf *out, struct slice text) {
    struct slice line;
    while (slice_take_until(&text, '\n', &line)) {
        line = slice_trim(line);
        if (line.size_bytes == 0 || slice_starts(line, "//") || slice_starts(line, "/*"))
            continue;
        buf_append_slice(out, line);
        bool is_complete = strchr(",;({[}", line.data[line.size_bytes - 1]) != NULL && !slice_contains(line, "//");
        buf_append_text(out, is_complete ? "" : "\n");
    }
}

/* The same of a style sheet, also without spaces next to its punctuation and the last semicolon of a block. None of its
 * strings has such a space or semicolon. */
static void append_style(struct buf *out, struct slice text) {
    CLEANUP_BUF struct buf lines;
    buf_init(&lines, DOCUMENT_MAX_BYTES);
    append_lines(&lines, text);
    const char *at = buf_text(&lines);
    for (char before = '\0'; *at != '\0'; before = *at++)
        if ((*at != ' ' || (strchr(":;,{", before) == NULL && strchr("{}", at[1]) == NULL)) &&
            (*at != ';' || at[1 + strspn(at + 1, " ")] != '}'))
            buf_append_char(out, *at);
}

/* Writes '<' as an escape, since "</script>" would end the data block. */
static void append_data(struct buf *out, struct slice json) {
    for (size_t i = 0; i < json.size_bytes; i++)
        if (json.data[i] == '<')
            buf_append_text(out, "\\u003c");
        else
            buf_append_char(out, json.data[i]);
}

static void append_script(struct buf *out) {
    static const enum asset parts[] = {ASSET_FORMAT_JS,        ASSET_PATCH_JS, ASSET_CHARTS_JS, ASSET_TIMELINE_JS,
                                       ASSET_INTERRUPTIONS_JS, ASSET_JOB_JS,   ASSET_FLEETS_JS, ASSET_LIST_JS,
                                       ASSET_COMPARISON_JS,    ASSET_PAGE_JS};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        append_lines(out, asset_get(parts[i]));
}

static void append_hash(struct buf *out, struct slice text) {
    unsigned char digest[SHA256_BYTES];
    sha256(text, digest);
    CLEANUP_FREE char *base64 = base64_encode((struct slice){(const char *)digest, sizeof digest});
    buf_append_text(out, base64);
}

static void append_part(struct buf *out, struct slice name, struct slice job, const struct buf *script) {
    CLEANUP_BUF struct buf css;
    buf_init(&css, DOCUMENT_MAX_BYTES);
    append_style(&css, asset_get(ASSET_CSS));
    if (slice_is(name, "STYLE"))
        buf_append_slice(out, buf_slice(&css));
    else if (slice_is(name, "STYLE_HASH"))
        append_hash(out, buf_slice(&css));
    else if (slice_is(name, "SCRIPT"))
        buf_append_slice(out, buf_slice(script));
    else if (slice_is(name, "SCRIPT_HASH"))
        append_hash(out, buf_slice(script));
    else if (slice_is(name, "DATA"))
        append_data(out, job);
    else if (slice_is(name, "VERSION"))
        buf_append_text(out, GOODPUT_VERSION);
}

/* The template with its parts. */
static int fill(struct slice rest, struct slice job, const struct buf *script, struct buf *out) {
    const char *at;
    while ((at = slice_find(rest, "{{")) != NULL) {
        buf_append_slice(out, slice_range(rest.data, at));
        rest = slice_range(at + 2, rest.data + rest.size_bytes);
        at = slice_find(rest, "}}");
        if (at == NULL)
            break;
        append_part(out, slice_range(rest.data, at), job, script);
        rest = slice_range(at + 2, rest.data + rest.size_bytes);
    }
    buf_append_slice(out, rest);
    return out->truncated ? -EMSGSIZE : 0;
}

int document_write(struct slice job, struct buf *out) {
    CLEANUP_BUF struct buf script;
    buf_init(&script, DOCUMENT_MAX_BYTES);
    append_script(&script);
    return fill(asset_get(ASSET_HTML), job, &script, out);
}

int document_write_sign_in(struct buf *out) {
    CLEANUP_BUF struct buf script;
    buf_init(&script, DOCUMENT_MAX_BYTES);
    append_lines(&script, asset_get(ASSET_SIGN_IN_JS));
    return fill(asset_get(ASSET_SIGN_IN_HTML), (struct slice){0}, &script, out);
}
