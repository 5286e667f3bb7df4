/* yaml: JSON values as YAML in block style, for -o yaml. */
#include "cli/render/yaml.h"

#include "base/slice.h"
#include "cli/render/text.h"

#include <stdlib.h>
#include <string.h>

static void write_value(struct buf *out, const json_t *value, int indent, bool is_in_list);

/* Whether every YAML reader takes the text for a string without quotes. */
static bool is_plain(const char *text) {
    static const char *const words[] = {"true", "false", "null", "yes", "no", "on", "off", "y", "n", "True", "False"};
    if ((*text < 'A' || *text > 'Z') && (*text < 'a' || *text > 'z'))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(text, words[i]) == 0)
            return false;
    size_t plain = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./");
    return text[plain] == '\0';
}

/* A JSON string is a YAML double-quoted string. */
static void write_text(struct buf *out, const char *text) {
    if (is_plain(text)) {
        buf_append_text(out, text);
        return;
    }
    json_t *string = json_string(text);
    char *dump = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
    buf_append_text(out, dump ? dump : "\"\"");
    free(dump);
    json_decref(string);
}

static void write_indent(struct buf *out, int indent) {
    buf_append_char(out, '\n');
    text_repeat(out, " ", indent);
}

static void write_object(struct buf *out, const json_t *object, int indent, bool is_in_list) {
    const char *key;
    json_t *value;
    bool is_first = true;
    json_object_foreach((json_t *)object, key, value) {
        if (!is_first || !is_in_list)
            write_indent(out, indent);
        is_first = false;
        write_text(out, key);
        buf_append_char(out, ':');
        write_value(out, value, json_is_array(value) ? indent : indent + 2, false);
    }
}

static void write_value(struct buf *out, const json_t *value, int indent, bool is_in_list) {
    size_t i;
    json_t *item;
    if (json_object_size(value) > 0) {
        write_object(out, value, indent, is_in_list);
        return;
    }
    if (json_array_size(value) > 0) {
        json_array_foreach(value, i, item) {
            write_indent(out, indent);
            buf_append_text(out, "- ");
            write_value(out, item, indent + 2, true);
        }
        return;
    }
    if (!is_in_list)
        buf_append_char(out, ' ');
    if (json_is_string(value)) {
        write_text(out, json_string_value(value));
        return;
    }
    char *dump = json_dumps(value, JSON_ENCODE_ANY);
    buf_append_text(out, dump ? dump : "null");
    free(dump);
}

void yaml_write(struct buf *out, const json_t *value) {
    write_value(out, value, 0, true);
    buf_append_char(out, '\n');
}
