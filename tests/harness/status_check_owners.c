/* Who owns the lost time: the owners partition it, by interruptions and by what is left of the buckets. */
#include "status_check_internal.h"

enum { TENANT, PLATFORM, PROVIDER, SCHEDULER, UNKNOWN, OWNERS };

static const char *const names[OWNERS] = {"Tenant", "Platform", "Provider", "Scheduler", "Unknown"};

static int owner_of(const json_t *value) {
    int i = 0;
    while (i < OWNERS && !is_text(value, "owner", names[i]))
        i++;
    return i;
}

struct owned {
    int64_t ms[OWNERS], chip_s[OWNERS], interruptions[OWNERS];
};

/* What no interruption caused, by the owner of its bucket, and the sum of what interruptions caused. */
static bool add_buckets(struct check *c, struct owned *to, int64_t *interrupted_ms) {
    size_t i;
    json_t *b;
    json_array_foreach(at(c->status, "badput"), i, b) {
        int64_t part = number_or_0(b, "interruptionMilliseconds"), ms = number(b, "milliseconds");
        int64_t chip_s = number_or_0(b, "chipSeconds") - number_or_0(b, "interruptionChipSeconds");
        int owner = owner_of(b);
        if (owner == OWNERS || part < 0 || part > ms || chip_s < 0)
            return fail(c, "%s of %s: %" PRId64 " of %" PRId64 " ms by interruptions", text(b, "bucket"),
                        text(b, "owner"), part, ms);
        if (is_text(b, "bucket", "Unobserved") && (part > 0 || owner != UNKNOWN))
            return fail(c, "Unobserved belongs to %s", text(b, "owner"));
        *interrupted_ms += part;
        to->ms[owner] += ms - part;
        to->chip_s[owner] += chip_s;
    }
    return true;
}

static bool add_executions(struct check *c, struct owned *to, int64_t *left_ms) {
    size_t i;
    json_t *e;
    json_array_foreach(at(c->status, "executions"), i, e) {
        int owner = owner_of(e);
        int64_t lost = number(e, "lostMilliseconds");
        if ((owner == OWNERS) != (lost == ABSENT) || (*text(e, "cause") != '\0' && owner == OWNERS))
            return fail(c, "execution %" PRId64 ": owner \"%s\", lostMilliseconds %" PRId64, number(e, "number"),
                        text(e, "owner"), lost);
        if (owner == OWNERS)
            continue;
        *left_ms -= lost;
        to->ms[owner] += lost;
        to->chip_s[owner] += number_or_0(e, "lostChipSeconds");
        to->interruptions[owner] += *text(e, "cause") != '\0';
    }
    return true;
}

static bool check_owner(struct check *c, const json_t *o, const struct owned *listed) {
    int owner = owner_of(o);
    int64_t ms = number(o, "milliseconds"), chip_s = number_or_0(o, "chipSeconds");
    bool is_all = c->lists_all && !c->is_interval;
    if (owner == OWNERS)
        return fail(c, "unknown owner %s", text(o, "owner"));
    if (is_all ? ms != listed->ms[owner] : ms < listed->ms[owner])
        return fail(c, "%s owns %" PRId64 " ms, its buckets and interruptions have %" PRId64, names[owner], ms,
                    listed->ms[owner]);
    if (is_all && llabs(chip_s - listed->chip_s[owner]) > (int64_t)(2 * json_array_size(at(c->status, "badput")) + 18))
        return fail(c, "%s owns %" PRId64 " chip seconds, its buckets and interruptions have %" PRId64, names[owner],
                    chip_s, listed->chip_s[owner]);
    if (number(o, "interruptions") < listed->interruptions[owner])
        return fail(c, "%s owns %" PRId64 " interruptions, in executions %" PRId64, names[owner],
                    number(o, "interruptions"), listed->interruptions[owner]);
    return is_percent(c, "share of an owner", o, "share", ppm(ms, c->wall));
}

/* The classes of an owner's chip time partition it. */
static bool check_owned_classes(struct check *c, const json_t *o) {
    int64_t sum = 0;
    size_t i;
    json_t *class;
    json_array_foreach(at(o, "byClass"), i, class) {
        if (number(class, "chipSeconds") <= 0)
            return fail(c, "class %s of %s has no chip seconds", text(class, "class"), text(o, "owner"));
        sum += number(class, "chipSeconds");
    }
    return i == 0 || equal(c, "chipSeconds of all classes of an owner", sum, number_or_0(o, "chipSeconds"));
}

/* Hours are rounded to thousandths, chip seconds of all owners once. */
static bool check_chip_sum(struct check *c, int64_t chip_s) {
    const json_t *h = at(c->status, "acceleratorHours");
    int64_t lost = decimal(h, at(h, "lost") != NULL ? "lost" : "allocated", 3);
    if (h == NULL)
        return equal(c, "chipSeconds of all owners", chip_s, 0);
    return fabs((double)chip_s - (double)lost * 3.6) <= 4.7 ||
           fail(c, "chipSeconds of all owners are %" PRId64 ", acceleratorHours make them %.1f", chip_s,
                (double)lost * 3.6);
}

bool check_owners(struct check *c) {
    struct owned listed = {{0}, {0}, {0}};
    int64_t ms = 0, chip_s = 0, interruptions = 0, top = 0, left_ms = 0;
    size_t i;
    json_t *o;
    if (!add_buckets(c, &listed, &left_ms) || !add_executions(c, &listed, &left_ms))
        return false;
    if (c->lists_all && !c->is_interval ? left_ms != 0 : left_ms < 0)
        return fail(c, "interruptions caused %" PRId64 " ms more than those that are listed", left_ms);
    json_array_foreach(at(c->status, "byOwner"), i, o) {
        if (!check_owner(c, o, &listed) || !check_owned_classes(c, o))
            return false;
        ms += number(o, "milliseconds");
        chip_s += number_or_0(o, "chipSeconds");
        interruptions += number(o, "interruptions");
        top = number(o, "milliseconds") > top ? number(o, "milliseconds") : top;
    }
    json_array_foreach(at(c->status, "byOwner"), i,
                       o) if (is_text(o, "owner", text(c->status, "topOwner")) &&
                              number(o, "milliseconds") != top) return fail(c, "topOwner is %s", text(o, "owner"));
    int64_t productive = c->productive == ABSENT ? 0 : c->productive;
    return equal(c, "the milliseconds of all owners", ms, c->wall - productive) &&
           (top == 0) == (at(c->status, "topOwner") == NULL) && check_chip_sum(c, chip_s) &&
           equal(c, "interruptions of all owners", interruptions, number(c->status, "interruptions.total"));
}
