#include "formulas/owners.h"

#include "base/mem.h"

#include <errno.h>
#include <string.h>

enum kind { KIND_CLASS, KIND_CAUSE, KIND_BUCKET };

struct row {
    enum kind kind;
    struct slice name, node_pool, queue; /* "*": any */
    enum rootcause_owner owner;
};

struct owners_policy {
    char *table;
    struct row *rows;
    size_t count, capacity;
};

/* ---- the table ---- */

enum { WHAT, NAME, NODE_POOL, QUEUE, OWNER, FIELDS };

static int unknown(struct error **err, const char *what, struct slice word, const char *known) {
    return error_set(err, EINVAL, "unknown %s \"%.*s\": use %s", what, word.size_bytes > 64 ? 64 : (int)word.size_bytes,
                     word.data, known);
}

static int split(struct slice line, struct slice f[static FIELDS], struct error **err) {
    int n = 0;
    while (n < FIELDS - 1 && slice_take_until(&line, '\t', &f[n]))
        n++;
    f[n++] = slice_trim(line);
    if (n < FIELDS || slice_find_char(line, '\t') != NULL)
        return error_set(err, EINVAL,
                         "%d fields, separated by tabs, are needed: class, cause or bucket, name, node pool, queue, "
                         "owner",
                         FIELDS);
    for (int i = 0; i < FIELDS; i++)
        if (f[i].size_bytes == 0)
            return error_set(err, EINVAL, "field %d of %d is empty: \"*\" fits anything", i + 1, FIELDS);
    return 0;
}

static bool is_known(enum kind kind, struct slice name) {
    struct slice before = name;
    const char *slash = slice_find_char(name, '/');
    if (slash != NULL)
        before = slice_range(name.data, slash);
    if (kind == KIND_CLASS && rootcause_class_find(name) >= 0)
        return true;
    for (int i = 0; i < CAUSE_COUNT && kind == KIND_CAUSE; i++)
        if (slice_is(i == CAUSE_KUEUE_EVICTION ? before : name, cause_name((enum cause)i)))
            return true;
    for (int i = 0; i < BUCKET_COUNT && kind == KIND_BUCKET; i++)
        if (i != BUCKET_PRODUCTIVE && i != BUCKET_UNOBSERVED &&
            slice_is(i == BUCKET_CUSTOM ? before : name, bucket_name((enum bucket)i)))
            return true;
    return slice_is(name, "*") || (kind == KIND_BUCKET && slice_is(name, bucket_name(BUCKET_ELASTIC_SLICE_DOWN)));
}

static int read_row(struct slice line, struct row *row, struct error **err) {
    static const char *const kinds[] = {"class", "cause", "bucket"};
    static const char *const known[] = {"a class of deploy/docs/reference/root-causes.md, or *",
                                        "a cause of deploy/docs/reference/causes.md, or *",
                                        "a bucket of deploy/docs/reference/causes.md, or *"};
    struct slice f[FIELDS];
    int kind = 0;
    if (split(line, f, err) < 0)
        return -EINVAL;
    while (kind <= KIND_BUCKET && !slice_is(f[WHAT], kinds[kind]))
        kind++;
    int owner = rootcause_owner_find(f[OWNER]);
    if (kind > KIND_BUCKET)
        return unknown(err, "kind", f[WHAT], "class, cause or bucket");
    if (!is_known((enum kind)kind, f[NAME]))
        return unknown(err, kinds[kind], f[NAME], known[kind]);
    if (kind == KIND_CLASS && slice_is(f[NAME], rootcause_class_name(CLASS_UNKNOWN)))
        return error_set(err, EINVAL, "class Unknown has no root cause that a row could fit: name causes instead");
    if (kind == KIND_BUCKET && !slice_is(f[NODE_POOL], "*"))
        return error_set(err, EINVAL, "a bucket has no node pool: use * instead of \"%.*s\"",
                         f[NODE_POOL].size_bytes > 64 ? 64 : (int)f[NODE_POOL].size_bytes, f[NODE_POOL].data);
    if (owner < 0)
        return unknown(err, "owner", f[OWNER], "Tenant, Platform, Provider, Scheduler or Unknown");
    *row = (struct row){(enum kind)kind, f[NAME], f[NODE_POOL], f[QUEUE], (enum rootcause_owner)owner};
    return 0;
}

struct owners_policy *owners_policy_parse(struct slice table, struct error **err) {
    struct owners_policy *policy = mem_new(struct owners_policy);
    if (table.size_bytes > OWNERS_MAX_TABLE_BYTES) {
        error_set(err, EINVAL, "%zu bytes: at most %d are read", table.size_bytes, OWNERS_MAX_TABLE_BYTES);
        owners_policy_free(policy);
        return NULL;
    }
    policy->table = slice_dup(table);
    struct slice rest = {policy->table, table.size_bytes}, line;
    for (int number = 1; slice_take_line(&rest, &line); number++) {
        struct row row;
        if (slice_trim(line).size_bytes == 0 || line.data[0] == '#')
            continue;
        int r = policy->count == OWNERS_MAX_ROWS ? error_set(err, EINVAL, "more than %d rows", OWNERS_MAX_ROWS)
                                                 : read_row(line, &row, err);
        if (r < 0) {
            error_wrap(err, EINVAL, "line %d", number);
            owners_policy_free(policy);
            return NULL;
        }
        MEM_GROW(policy->rows, policy->count, policy->capacity);
        policy->rows[policy->count++] = row;
    }
    return policy;
}

void owners_policy_free(struct owners_policy *policy) {
    if (policy == NULL)
        return;
    free(policy->rows);
    free(policy->table);
    free(policy);
}

/* ---- the choice ---- */

static bool fits(struct slice pattern, const char *text) {
    return slice_is(pattern, "*") || slice_is(pattern, text != NULL ? text : "");
}

/* "KueueEviction" and "Custom" also fit with what follows a slash. */
static bool fits_name(struct slice pattern, const char *name, const char *below) {
    struct slice rest = pattern;
    if (below != NULL && below[0] != '\0' && slice_take_prefix(&rest, name) && slice_take_char(&rest, '/'))
        return slice_is(rest, below);
    return fits(pattern, name);
}

static bool fits_interruption(const struct row *row, const struct owners_case *x) {
    if (row->kind == KIND_BUCKET || !fits(row->node_pool, x->node_pool) || !fits(row->queue, x->queue))
        return false;
    if (row->kind == KIND_CLASS)
        return x->class_ != CLASS_UNKNOWN && fits(row->name, rootcause_class_name(x->class_));
    return fits_name(row->name, cause_name(x->cause), x->cause == CAUSE_KUEUE_EVICTION ? x->reason : NULL);
}

enum rootcause_owner owners_of_interruption(const struct owners_policy *policy, const struct owners_case *x) {
    for (size_t i = 0; policy != NULL && i < policy->count; i++)
        if (fits_interruption(&policy->rows[i], x))
            return policy->rows[i].owner;
    if (x->class_owner != OWNER_UNKNOWN)
        return x->class_owner;
    return cause_owner(x->cause);
}

enum rootcause_owner owners_of_bucket(const struct owners_policy *policy, enum bucket bucket, const char *custom,
                                      const char *queue) {
    for (size_t i = 0; policy != NULL && bucket != BUCKET_UNOBSERVED && i < policy->count; i++) {
        const struct row *row = &policy->rows[i];
        if (row->kind == KIND_BUCKET && fits(row->queue, queue) &&
            fits_name(row->name, bucket_name(bucket), bucket == BUCKET_CUSTOM ? custom : NULL))
            return row->owner;
    }
    return bucket_owner(bucket);
}

void owners_sum(const struct owners_policy *policy, const char *queue, const struct ledger_result *r,
                struct ledger_owned out[static OWNER_COUNT]) {
    memcpy(out, r->older.owners, sizeof r->older.owners);
    for (int i = 0; i < r->interruption_count + r->has_own_end; i++) {
        const struct ledger_interruption *x = &r->interruptions[i];
        out[x->owner].count += i < r->interruption_count;
        out[x->owner].ms += x->cost_ms;
        out[x->owner].chip_ms += x->chip_ms;
        out[x->owner].class_chip_ms[x->class_] += x->chip_ms;
    }
    for (int i = 0; i < r->bucket_count; i++) {
        const struct ledger_bucket *b = &r->buckets[i];
        if (b->bucket == BUCKET_PRODUCTIVE)
            continue;
        struct ledger_owned *o = &out[owners_of_bucket(policy, b->bucket, b->custom, queue)];
        o->ms += b->ms - b->interrupted_ms;
        o->chip_ms += b->chip_ms - b->interrupted_chip_ms;
    }
}
