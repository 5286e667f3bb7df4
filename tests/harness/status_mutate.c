#include "status_mutate.h"

#include "harness.h"
#include "status_check.h"

static bool is_in(const char *list, const char *path) {
    char word[220];
    snprintf(word, sizeof word, " %s ", path);
    return strstr(list, word) != NULL;
}

struct mutation {
    json_t *root;
    const char *undetermined, *rounded;
    int changed, found;
    char path[200];
};

static void try_value(struct mutation *t, json_t *parent, const char *key, size_t index, json_t *wrong) {
    char why[STATUS_WHY];
    json_t *value = key != NULL ? json_object_get(parent, key) : json_array_get(parent, index);
    json_incref(value);
    if (key != NULL)
        json_object_set_new(parent, key, wrong);
    else
        json_array_set_new(parent, index, wrong);
    bool is_found = !status_check(t->root, why);
    t->changed++;
    t->found += is_found;
    if (!is_found && !is_in(t->undetermined, t->path + 1))
        harness_fail(t->path + 1, 0, "a wrong number passes");
    if (key != NULL)
        json_object_set_new(parent, key, value);
    else
        json_array_set_new(parent, index, value);
}

static bool is_number(const char *s) {
    return *s >= '0' && *s <= '9' && strspn(s, "0123456789.%") == strlen(s);
}

static void mutate(struct mutation *t, json_t *parent, const char *key, size_t index, json_t *value) {
    size_t length = strlen(t->path), i;
    const char *name;
    json_t *member;
    if (key != NULL)
        snprintf(t->path + length, sizeof t->path - length, ".%s", key);
    if (json_is_object(value)) {
        void *next;
        json_object_foreach_safe(value, next, name, member) mutate(t, value, name, 0, member);
    } else if (json_is_array(value)) {
        json_array_foreach(value, i, member) mutate(t, value, NULL, i, member);
    } else if (json_is_integer(value)) {
        json_int_t n = json_integer_value(value);
        try_value(t, parent, key, index, json_integer(is_in(t->rounded, t->path + 1) ? 2 * n + 100 : n + 1));
    } else if (json_is_string(value) && is_number(json_string_value(value))) {
        bool is_percent = strchr(json_string_value(value), '%') != NULL;
        try_value(t, parent, key, index, json_string(is_percent ? "33.21%" : "98765.43"));
    }
    t->path[length] = '\0';
}

int status_mutate(const char *text, const char *undetermined, const char *rounded) {
    struct mutation t = {.root = json_loads(text, 0, NULL), .undetermined = undetermined, .rounded = rounded};
    char why[STATUS_WHY] = "it is not JSON";
    if (t.root == NULL || !status_check(t.root, why))
        harness_fail(__FILE__, __LINE__, "the status itself: %s", why);
    else
        mutate(&t, NULL, NULL, 0, t.root);
    CHECK(t.found * 2 > t.changed);
    CHECK(t.root != NULL && status_check(t.root, why));
    json_decref(t.root);
    return t.changed;
}
