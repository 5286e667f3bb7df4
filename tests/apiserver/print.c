/* --print-table KIND: the rows of a kind's Table on stdout, as kubectl get -w would, each time one changes. */
#include "base/mem.h"
#include "srv.h"

#include <stdio.h>
#include <string.h>

void print_change(struct srv *s, const struct change *change) {
    if (strcmp(change->type->plural, s->print_table) != 0 || change->kind == CHANGE_DELETED)
        return;
    json_error_t error;
    CLEANUP_JSON json_t *object = json_loadb(change->now->data, change->now->size_bytes, 0, &error);
    CLEANUP_JSON json_t *table = table_begin(change->type, change->type->storage_version, "");
    table_row(table, change->type, object, "None", srv_now_us(s) / 1000);
    CLEANUP_BUF struct buf line, head;
    buf_init(&line, 4096);
    buf_init(&head, 4096);
    size_t i;
    json_t *column, *cells = jx_get(table, "rows.0.cells");
    bool has_changed = s->printed == NULL;
    json_array_foreach(json_object_get(table, "columnDefinitions"), i, column) {
        const char *name = jx_text(column, "name");
        json_t *cell = json_array_get(cells, i);
        bool is_age = strcmp(jx_text(column, "type"), "date") == 0;
        if (jx_int(column, "priority") > 0 || is_age)
            continue;
        CLEANUP_FREE char *text = json_is_string(cell) ? mem_strdup(json_string_value(cell))
                                  : json_is_null(cell) ? mem_strdup("")
                                                       : jx_dump(cell);
        int width = strcmp(name, "Top-Badput") == 0 ? 21 : (int)strlen(name) + 2;
        if (width < 13)
            width = 13;
        buf_format(&head, "%-*s", width, name);
        buf_format(&line, "%-*s", width, text);
    }
    for (char *p = head.data; *p != '\0'; p++)
        if (*p >= 'a' && *p <= 'z')
            *p = (char)(*p - 32);
    if (s->printed == NULL) {
        s->printed = json_object();
        printf("%s\n", buf_text(&head));
    }
    CLEANUP_FREE char *key = mem_format("%s/%s", change->ns, jx_text(object, "metadata.name"));
    const char *old = json_string_value(json_object_get(s->printed, key));
    if (has_changed || old == NULL || strcmp(old, buf_text(&line)) != 0)
        printf("%s\n", buf_text(&line));
    json_object_set_new(s->printed, key, json_string(buf_text(&line)));
    fflush(stdout);
}
