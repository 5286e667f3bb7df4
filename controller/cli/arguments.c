#include "cli/arguments.h"

#include "base/mem.h"
#include "base/rfc3339.h"
#include "base/slice.h"
#include "cli/nearest.h"

#include <errno.h>
#include <string.h>

bool arguments_lists(const char *list, const char *word) {
    struct slice rest = slice_of(list), item;
    while (slice_take_item(&rest, ',', &item))
        if (slice_is(slice_trim(item), word))
            return true;
    return false;
}

bool arguments_is_for(const struct argument_row *row, const char *command) {
    return row->commands == NULL || arguments_lists(row->commands, command);
}

/* Whether the argument is this option; *value: what follows it in the same argument, NULL: nothing. */
static bool is_option(const struct argument_row *row, const char *argument, const char **value) {
    size_t size = strlen(row->long_name);
    *value = NULL;
    if (strncmp(argument, row->long_name, size) == 0 && (argument[size] == '\0' || argument[size] == '=')) {
        if (argument[size] == '=')
            *value = argument + size + 1;
        return true;
    }
    if (row->short_name == NULL || strncmp(argument, row->short_name, 2) != 0)
        return false;
    if (argument[2] != '\0')
        *value = argument + 2 + (argument[2] == '=');
    return true;
}

static int unknown(const struct argument_row *rows, size_t count, const char *command, const char *argument,
                   struct error **err) {
    CLEANUP_FREE const char **names = mem_resize(NULL, count, sizeof *names);
    CLEANUP_FREE char *word = slice_dup((struct slice){argument, strcspn(argument, "=")});
    for (size_t i = 0; i < count; i++)
        names[i] = rows[i].long_name;
    /* The two dashes are no likeness: what is left must be longer than the edits. */
    const char *meant = strlen(word) > 4 ? nearest_find(word, names, count) : NULL;
    if (meant != NULL)
        return error_set(err, EINVAL, "unknown option \"%s\": did you mean \"%s\"?", word, meant);
    return error_set(err, EINVAL, "unknown option \"%s\"; \"kubectl goodput %s\" lists them", argument, command);
}

int arguments_take(const struct argument_row *rows, size_t count, const char *command, char **argv, int argc, int *i,
                   void *options, struct error **err) {
    const char *argument = argv[*i], *value;
    const struct argument_row *row = rows, *end = rows + count;
    while (row < end && !is_option(row, argument, &value))
        row++;
    if (row == end)
        return unknown(rows, count, command, argument, err);
    if (value != NULL && !row->takes_value)
        return error_set(err, EINVAL, "%s takes no value", row->long_name);
    if (value == NULL && row->takes_value && ++*i == argc)
        return error_set(err, EINVAL, "%s needs a value", argument);
    if (value == NULL && row->takes_value)
        value = argv[*i];
    void *field = (char *)options + row->offset;
    if (row->set != NULL)
        return row->set(field, row->long_name, value, err);
    if (row->takes_value)
        *(const char **)field = value;
    else
        *(bool *)field = true;
    return 0;
}

/* value NULL leaves *ms. */
static int parse_time(const char *option, const char *value, int64_t *ms, struct error **err) {
    if (value == NULL)
        return 0;
    CLEANUP_FREE char *start = mem_format(strlen(value) == 10 ? "%sT00:00:00Z" : "%s", value);
    if (!rfc3339_parse_ms(slice_of(start), ms))
        return error_set(err, EINVAL, "%s %s: write a day or a time, such as 2026-11-01 or 2026-11-01T06:00:00Z",
                         option, value);
    return 0;
}

int arguments_window(const char *from, const char *to, int64_t *ret_from_ms, int64_t *ret_to_ms, struct error **err) {
    *ret_from_ms = INT64_MIN;
    *ret_to_ms = INT64_MAX;
    if (parse_time("--from", from, ret_from_ms, err) < 0 || parse_time("--to", to, ret_to_ms, err) < 0)
        return -EINVAL;
    return *ret_from_ms < *ret_to_ms ? 0 : error_set(err, EINVAL, "--to %s is not after --from %s", to, from);
}
