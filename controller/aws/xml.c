#include "aws/xml.h"

#include "base/mem.h"

static bool find_element(struct slice document, const char *name, struct slice *text) {
    size_t n = strlen(name);
    for (const char *at; (at = slice_find_char(document, '<')) != NULL;) {
        document = slice_skip(document, (size_t)(at + 1 - document.data));
        struct slice behind = slice_skip(document, n);
        if (!slice_starts(document, name) || !slice_take_char(&behind, '>'))
            continue;
        const char *end = slice_find_char(behind, '<');
        if (end == NULL)
            return false;
        struct slice closing = slice_skip(behind, (size_t)(end + 1 - behind.data));
        if (!slice_take_char(&closing, '/') || !slice_starts(closing, name))
            continue;
        *text = slice_range(behind.data, end);
        return true;
    }
    return false;
}

bool xml_text(struct slice document, const char *name, char *out, size_t out_size) {
    static const struct {
        const char *entity;
        char is;
    } entities[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
    struct slice text;
    size_t n = 0;
    out[0] = '\0';
    if (!find_element(document, name, &text))
        return false;
    while (text.size_bytes > 0 && n + 1 < out_size) {
        char c = text.data[0];
        size_t i = 0;
        while (i < ARRAY_SIZE(entities) && !slice_take_prefix(&text, entities[i].entity))
            i++;
        if (i < ARRAY_SIZE(entities))
            c = entities[i].is;
        else
            text = slice_skip(text, 1);
        out[n++] = c;
    }
    out[n] = '\0';
    return true;
}
