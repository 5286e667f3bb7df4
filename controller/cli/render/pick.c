#include "cli/render/pick.h"

#include "base/clock.h"
#include "base/rfc3339.h"
#include "base/slice.h"

/* Far beyond any real status (285,000 years in ms); sums of a few such values do not overflow. */
#define LIMIT ((int64_t)1 << 53)

const json_t *pick(const json_t *object, const char *path) {
    struct slice rest = slice_of(path), part;
    while (object != NULL && rest.size_bytes > 0) {
        if (!slice_take_until(&rest, '.', &part)) {
            part = rest;
            rest = slice_of(NULL);
        }
        char key[64];
        if (!slice_copy(key, sizeof key, part))
            return NULL;
        object = json_object_get(object, key);
    }
    return object;
}

bool pick_has(const json_t *object, const char *path) {
    return pick(object, path) != NULL;
}

const char *pick_text(const json_t *object, const char *path) {
    const char *text = json_string_value(pick(object, path));
    return text ? text : "";
}

int64_t pick_int(const json_t *object, const char *path, int64_t otherwise) {
    const json_t *value = pick(object, path);
    if (!json_is_integer(value))
        return otherwise;
    int64_t number = (int64_t)json_integer_value(value);
    return number > LIMIT ? LIMIT : number < -LIMIT ? -LIMIT : number;
}

int64_t pick_time_ms(const json_t *object, const char *path) {
    int64_t ms;
    return rfc3339_parse_ms(slice_of(pick_text(object, path)), &ms) ? ms : TIME_UNKNOWN;
}

int64_t pick_thousandths(const json_t *object, const char *path) {
    struct slice s = slice_of(pick_text(object, path));
    int64_t value;
    return slice_take_scaled(&s, 3, &value) && s.size_bytes == 0 && value > 0 && value < LIMIT ? value : 0;
}
