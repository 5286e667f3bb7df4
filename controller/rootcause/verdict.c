#include "rootcause/verdict.h"

#include "rootcause/exits.h"

#include <stdio.h>

static bool is_stamped(const struct finding *f) {
    return f->at_ns != INT64_MIN;
}

/* Whether what failed in one log explains that another process was stopped. Without stamps a symptom may come from
 * the stop, and a launcher reports both. */
static bool explains(const struct finding *failure, const struct finding *stop) {
    if (!finding_is_failure(failure))
        return false;
    if (is_stamped(failure) && is_stamped(stop))
        return failure->at_ns < stop->at_ns;
    return failure->role != ROLE_SYMPTOM && failure->role != ROLE_WRAPPER;
}

static bool is_explained(const struct finding *f, struct rootcause_log *const *logs, size_t count) {
    for (size_t i = 0; i < count && finding_is_stop(f); i++) {
        const struct finding *other = rootcause_log_best(logs[i]);
        if (other != NULL && explains(other, f))
            return true;
    }
    return false;
}

/* A log that ends in an abort and shows no symptom is of a process that crashed by itself. */
static enum rootcause_role role_among_logs(const struct finding *f) {
    return f->role == ROLE_LAST && f->class_ == CLASS_CRASH_SIGNAL ? ROLE_WEAK : f->role;
}

/* The same moment: each container's lines are stamped by whoever reads them. */
#define MOMENT_NS 100000000

/* A peer is lost because it ended: of symptoms at the same moment it is what follows. */
static bool follows(const struct finding *a, const struct finding *b) {
    int64_t later_ns = a->at_ns - b->at_ns;
    return a->role == ROLE_SYMPTOM && a->class_ == CLASS_PEER_LOST && b->class_ != CLASS_PEER_LOST &&
           later_ns < MOMENT_NS && later_ns > -MOMENT_NS;
}

/* Whether a, of an earlier log, gives way to b. */
static bool gives_way(const struct finding *a, const struct finding *b) {
    if (role_among_logs(a) != role_among_logs(b))
        return role_among_logs(b) < role_among_logs(a);
    if (!is_stamped(a) || !is_stamped(b))
        return false;
    return follows(a, b) || (b->at_ns < a->at_ns && !follows(b, a));
}

static void choose(struct rootcause_verdict *v, struct rootcause_log *const *logs, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct finding *best = rootcause_log_best(logs[i]);
        if (best == NULL || (v->log != VERDICT_NO_LOG && !gives_way(&v->finding, best)) ||
            is_explained(best, logs, count))
            continue;
        v->finding = *best;
        v->log = (int)i;
    }
    v->is_symptom_only = v->log != VERDICT_NO_LOG && v->finding.role == ROLE_SYMPTOM;
}

static void count_followers(struct rootcause_verdict *v, struct rootcause_log *const *logs, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct finding *best = rootcause_log_best(logs[i]);
        if ((int)i != v->log && best != NULL && best->role >= ROLE_SYMPTOM)
            v->followers++;
    }
    if (count == 1)
        v->followers = rootcause_log_followers(logs[0]);
}

/* The rank that enqueued fewer collectives than the others, by what their watchdogs print. */
static bool find_behind(struct rootcause_log *const *logs, size_t count, int64_t *rank) {
    *rank = RANK_UNKNOWN;
    int64_t min_enqueued = INT64_MAX, max_enqueued = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        size_t n;
        const struct waiting *waiting = rootcause_log_waiting(logs[i], &n);
        for (size_t k = 0; k < n; k++) {
            if (waiting[k].enqueued < min_enqueued) {
                min_enqueued = waiting[k].enqueued;
                *rank = waiting[k].rank;
            }
            if (waiting[k].enqueued > max_enqueued)
                max_enqueued = waiting[k].enqueued;
        }
    }
    return min_enqueued < max_enqueued;
}

/* Of ranks that wait for one another the last one is waited for; in a circle nobody knows. */
static void follow(struct rootcause_verdict *v, struct rootcause_log *const *logs, size_t count) {
    const char *next = v->finding.waits_for;
    for (size_t hops = 0; hops <= count; hops++) {
        const char *last = next;
        struct slice rest = slice_of(next);
        int64_t rank;
        if (!slice_take_prefix(&rest, "rank ") || !slice_take_uint(&rest, &rank))
            return;
        for (size_t i = 0; i < count; i++) {
            const struct finding *best = rootcause_log_best(logs[i]);
            if (best != NULL && best->rank == rank && best->role == ROLE_SYMPTOM && best->waits_for[0] != '\0')
                next = best->waits_for;
        }
        if (next == last) {
            snprintf(v->waits_for, sizeof v->waits_for, "%s", last);
            return;
        }
    }
    v->waits_for[0] = '\0';
}

/* An address may be that of a process that waits as well: it counts only if each log that shows a symptom names it. */
static bool is_named_by_all(const char *waits_for, struct rootcause_log *const *logs, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct finding *best = rootcause_log_best(logs[i]);
        if (best != NULL && best->role == ROLE_SYMPTOM && strcmp(best->waits_for, waits_for) != 0)
            return false;
    }
    return true;
}

/* What the symptoms of other logs name, if they name the same: of the coordinator the tasks that are lost. */
static void take_common_name(struct rootcause_verdict *v, struct rootcause_log *const *logs, size_t count) {
    const char *common = "";
    for (size_t i = 0; i < count; i++) {
        const struct finding *best = rootcause_log_best(logs[i]);
        if (best == NULL || best->role != ROLE_SYMPTOM || best->waits_for[0] == '\0')
            continue;
        if (common[0] != '\0' && strcmp(common, best->waits_for) != 0)
            return;
        common = best->waits_for;
    }
    if (strncmp(common, "peer ", strlen("peer ")) != 0)
        snprintf(v->waits_for, sizeof v->waits_for, "%s", common);
}

/* By the stacks that a watchdog printed, and tracebacks out of collectives: the only process that is not where the
 * others wait. They wait in a collective, or in the same frame if they are two or more. VERDICT_NO_LOG: unknown. */
static int find_outlier(struct rootcause_log *const *logs, size_t count) {
    int outlier = VERDICT_NO_LOG;
    size_t stacks = 0;
    for (size_t i = 0; i < count; i++)
        stacks += rootcause_log_stack(logs[i])->is_there;
    for (size_t i = 0; i < count && stacks >= 2; i++) {
        const struct stack *s = rootcause_log_stack(logs[i]);
        size_t same = 0;
        for (size_t k = 0; k < count; k++)
            same += rootcause_log_stack(logs[k])->is_there && rootcause_log_stack(logs[k])->innermost == s->innermost;
        if (!s->is_there || s->is_in_collective || (stacks >= 3 && same + 1 >= stacks))
            continue;
        if (outlier != VERDICT_NO_LOG)
            return VERDICT_NO_LOG;
        outlier = (int)i;
    }
    return outlier;
}

/* Of two logs, the one that shows nothing may be of a process that was stopped. */
enum { MIN_LOGS_AROUND_SILENCE = 3 };

/* The only log without a finding. */
static int silent_log(struct rootcause_log *const *logs, size_t count) {
    int silent = VERDICT_NO_LOG;
    for (size_t i = 0; i < count; i++)
        if (rootcause_log_best(logs[i]) == NULL) {
            if (silent != VERDICT_NO_LOG)
                return VERDICT_NO_LOG;
            silent = (int)i;
        }
    return silent;
}

/* Each of two tasks that cannot reach one another names the other one. A task counts only if more than half of the logs
 * that name one name it. */
static void take_majority(struct rootcause_verdict *v, struct rootcause_log *const *logs, size_t count) {
    size_t named = 0, same = 0, max_same = 0;
    const char *best = "";
    for (size_t i = 0; i < count; i++) {
        const struct finding *a = rootcause_log_best(logs[i]);
        if (a == NULL || a->role != ROLE_SYMPTOM || strncmp(a->waits_for, "task ", strlen("task ")) != 0)
            continue;
        named++;
        same = 0;
        for (size_t k = 0; k < count; k++) {
            const struct finding *b = rootcause_log_best(logs[k]);
            same += b != NULL && b->role == ROLE_SYMPTOM && strcmp(a->waits_for, b->waits_for) == 0;
        }
        if (same > max_same)
            max_same = same, best = a->waits_for;
    }
    if (strncmp(v->waits_for, "task ", strlen("task ")) == 0)
        snprintf(v->waits_for, sizeof v->waits_for, "%s", 2 * max_same > named ? best : "");
}

static void find_waits_for(struct rootcause_verdict *v, struct rootcause_log *const *logs, size_t count) {
    int64_t rank;
    memcpy(v->waits_for, v->finding.waits_for, sizeof v->waits_for);
    if (strncmp(v->waits_for, "peer ", strlen("peer ")) == 0 && !is_named_by_all(v->waits_for, logs, count))
        v->waits_for[0] = '\0';
    take_majority(v, logs, count);
    follow(v, logs, count);
    if (v->waits_for[0] == '\0' && find_behind(logs, count, &rank))
        snprintf(v->waits_for, sizeof v->waits_for, "rank %lld", (long long)rank);
    if (v->waits_for[0] == '\0')
        take_common_name(v, logs, count);
    if (v->waits_for[0] == '\0')
        v->waits_for_log = find_outlier(logs, count);
    bool is_open = v->waits_for[0] == '\0' && v->waits_for_log == VERDICT_NO_LOG;
    if (is_open && count >= MIN_LOGS_AROUND_SILENCE)
        v->waits_for_log = silent_log(logs, count);
}

static bool is_silent(struct rootcause_log *const *logs, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (rootcause_log_best(logs[i]) == NULL)
            return true;
    return false;
}

/* A crash that printed nothing: the exit code names it, and the others' logs show only what followed. A container's
 * first process cannot abort; the C library's abort() ends it by SIGSEGV after it has printed why. */
static bool take_silent_crash(struct rootcause_verdict *v, struct rootcause_log *const *logs, size_t count,
                              int exit_code) {
    const struct exit_meaning *meaning = exit_code == VERDICT_NO_EXIT_CODE ? NULL : exit_meaning_of(exit_code);
    if (meaning == NULL || meaning->class_ != CLASS_CRASH_SIGNAL || meaning->role != ROLE_WEAK ||
        !is_silent(logs, count))
        return false;
    v->finding = (struct finding){.class_ = meaning->class_,
                                  .role = meaning->role,
                                  .owner = rootcause_class_owner(meaning->class_),
                                  .at_ns = INT64_MIN,
                                  .rank = RANK_UNKNOWN};
    snprintf(v->finding.reason, sizeof v->finding.reason, "%s", meaning->reason);
    v->is_symptom_only = false;
    v->log = silent_log(logs, count);
    snprintf(v->basis, sizeof v->basis, "Derived: exit code %d is %s; the logs show only what followed%s", exit_code,
             meaning->reason, v->log == VERDICT_NO_LOG ? "" : ", and this one shows nothing");
    return true;
}

/* What the container's exit code alone says. */
static void take_exit_code(struct rootcause_verdict *v, int exit_code) {
    const struct exit_meaning *meaning = exit_code == VERDICT_NO_EXIT_CODE ? NULL : exit_meaning_of(exit_code);
    if (meaning == NULL)
        return;
    v->finding.class_ = meaning->class_;
    v->finding.owner = meaning->class_ == CLASS_PREEMPTION ? OWNER_UNKNOWN : rootcause_class_owner(meaning->class_);
    snprintf(v->finding.reason, sizeof v->finding.reason, "%s", meaning->reason);
    snprintf(v->basis, sizeof v->basis,
             meaning->class_ == CLASS_UNKNOWN
                 ? "Derived: exit code %d is SIGKILL; no line and no record of the kernel says that memory was short"
                 : "Derived: from exit code %d alone, no line names a cause",
             exit_code);
}

static void explain_nothing(struct rootcause_verdict *v, const struct matcher *m, size_t count, int exit_code) {
    size_t rows;
    (void)matcher_rows(m, &rows);
    int n = snprintf(
        v->basis, sizeof v->basis,
        "Derived: no line of %zu log%s fits one of %zu signatures of %d classes, an exception of Python, a report of "
        "torchelastic or of faulthandler",
        count, count == 1 ? "" : "s", rows, CLASS_COUNT - 1);
    if (exit_code != VERDICT_NO_EXIT_CODE && n > 0 && (size_t)n < sizeof v->basis)
        snprintf(v->basis + n, sizeof v->basis - (size_t)n, "; exit code %d names no cause", exit_code);
}

static void explain(struct rootcause_verdict *v, size_t count) {
    const struct finding *f = &v->finding;
    static const char *const hows[] = {
        [ROLE_PRIMARY] = "the earliest line that is a cause",
        [ROLE_WEAK] = "no line names a cause more clearly",
        [ROLE_SYMPTOM] = "a symptom: no line of any log is its cause",
        [ROLE_LAST] = "only how the process or its log ended",
        [ROLE_WRAPPER] = "only a launcher's summary, and no other line fits a signature or is an exception",
    };
    const char *how = finding_is_stop(f) ? "it was stopped, and nothing failed before" : hows[f->role];
    bool is_observed = f->role == ROLE_PRIMARY || f->role == ROLE_SYMPTOM;
    int n = snprintf(v->basis, sizeof v->basis, "%s: %s; ", is_observed ? "Observed" : "Derived", how);
    bool is_exception = f->is_exception || (f->row == NULL && f->class_ == CLASS_USER_EXCEPTION);
    const char *what = f->is_exception ? "the exception that ends a traceback" : "an exception without its traceback";
    struct slice source = f->row != NULL ? f->row->source : slice_of("a launcher");
    if (n > 0 && (size_t)n < sizeof v->basis)
        n += is_exception ? snprintf(v->basis + n, sizeof v->basis - (size_t)n, "%s", what)
                          : snprintf(v->basis + n, sizeof v->basis - (size_t)n, "a text of %.*s",
                                     (int)source.size_bytes, source.data);
    if (n > 0 && (size_t)n < sizeof v->basis && count > 1)
        snprintf(v->basis + n, sizeof v->basis - (size_t)n, "; %zu of %zu logs only follow", v->followers, count);
}

void rootcause_verdict(struct rootcause_verdict *ret, const struct matcher *m, struct rootcause_log *const *logs,
                       size_t count, int exit_code) {
    *ret = (struct rootcause_verdict){.log = VERDICT_NO_LOG,
                                      .waits_for_log = VERDICT_NO_LOG,
                                      .finding = {.role = ROLE_COUNT, .at_ns = INT64_MIN, .rank = RANK_UNKNOWN}};
    choose(ret, logs, count);
    count_followers(ret, logs, count);
    if (ret->log != VERDICT_NO_LOG)
        explain(ret, count);
    else
        explain_nothing(ret, m, count, exit_code);
    bool is_open = ret->log == VERDICT_NO_LOG || ret->finding.role == ROLE_WRAPPER;
    if (is_open)
        take_exit_code(ret, exit_code);
    if (ret->is_symptom_only && !take_silent_crash(ret, logs, count, exit_code))
        find_waits_for(ret, logs, count);
    quote_clean(ret->finding.text);
    quote_clean(ret->finding.reason);
    quote_clean(ret->finding.frame);
    quote_clean(ret->waits_for);
}
