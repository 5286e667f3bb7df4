/* The commands of the scenario language that deal with objects, logs, faults and the server itself. */
#include "base/mem.h"
#include "base/rfc3339.h"
#include "scenario.h"
#include "tls.h"

#include <stdio.h>
#include <string.h>

/* Cuts the next word (or "quoted text") off *line; "" at the end. */
static const char *word(char **line) {
    char *p = *line;
    while (*p == ' ')
        p++;
    char end = *p == '"' ? '"' : ' ';
    p += end == '"';
    char *from = p;
    while (*p != '\0' && *p != end)
        p++;
    *line = p + (*p != '\0');
    *p = '\0';
    return from;
}

static const char *rest_of(char *line) {
    while (*line == ' ')
        line++;
    return line;
}

static struct object *find(struct srv *s, const char *kind, const char *key, char why[static 200]) {
    struct resource *type = registry_named(&s->registry, kind);
    char ns[128] = "";
    const char *slash = strchr(key, '/');
    if (type == NULL) {
        snprintf(why, 200, "no kind \"%.100s\"", kind);
        return NULL;
    }
    if (slash != NULL)
        snprintf(ns, sizeof ns, "%.*s", (int)(slash - key), key);
    else if (type->is_namespaced)
        snprintf(ns, sizeof ns, "default");
    struct object *o = kstore_find(&s->store, type, ns, slash != NULL ? slash + 1 : key);
    if (o == NULL)
        snprintf(why, 200, "no %.60s \"%.100s\"", kind, key);
    return o;
}

typedef int command(struct scenario *sc, char *args, const char *heredoc, char why[static 200]);

/* Replaces ${name} by the values of "name=value" words. */
static char *substitute(const char *text, const char *values) {
    CLEANUP_BUF struct buf out;
    buf_init(&out, 64 << 20);
    for (const char *p = text; *p != '\0'; p++) {
        const char *end = p[0] == '$' && p[1] == '{' ? strchr(p, '}') : NULL;
        bool found = false;
        if (end != NULL) {
            size_t n = (size_t)(end - p) - 2;
            for (const char *v = values; *v != '\0' && !found; v += strcspn(v, " "), v += *v == ' ') {
                if (strncmp(v, p + 2, n) == 0 && v[n] == '=') {
                    buf_append(&out, v + n + 1, strcspn(v + n + 1, " "));
                    found = true;
                }
            }
        }
        if (found)
            p = end;
        else
            buf_append_char(&out, *p);
    }
    return buf_take(&out);
}

static int apply_all(struct srv *s, const char *text, size_t size, char why[static 200]) {
    CLEANUP_JSON json_t *all = jx_load(text, size, true, why);
    size_t i, j;
    json_t *object, *item;
    if (all == NULL)
        return -1;
    json_array_foreach(all, i, object) {
        const json_t *items = json_object_get(object, "items");
        if (items == NULL && srv_apply(s, object, why) == NULL)
            return -1;
        json_array_foreach(items, j, item) if (srv_apply(s, item, why) == NULL) return -1;
    }
    return 0;
}

static int do_apply(struct scenario *sc, char *args, const char *heredoc, char why[static 200]) {
    if (heredoc != NULL) {
        CLEANUP_FREE char *text = substitute(heredoc, args);
        return apply_all(sc->srv, text, strlen(text), why);
    }
    const char *path = word(&args);
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        snprintf(why, 200, "cannot open \"%.150s\"", path);
        return -1;
    }
    CLEANUP_BUF struct buf text;
    buf_init(&text, 256 << 20);
    char piece[65536];
    size_t n;
    while ((n = fread(piece, 1, sizeof piece, f)) > 0)
        buf_append(&text, piece, n);
    fclose(f);
    CLEANUP_FREE char *final = substitute(buf_text(&text), args);
    return apply_all(sc->srv, final, strlen(final), why);
}

static int do_patch(struct scenario *sc, char *args, const char *heredoc, char why[static 200]) {
    const char *kind = word(&args), *key = word(&args);
    struct object *o = find(sc->srv, kind, key, why);
    const char *text = heredoc != NULL ? heredoc : rest_of(args);
    if (o == NULL)
        return -1;
    CLEANUP_JSON json_t *patch = jx_load(text, strlen(text), false, why), *after = kstore_json(o);
    if (patch == NULL)
        return -1;
    jx_strategic_patch(after, patch);
    srv_change(sc->srv, o, after, NULL, "");
    return 0;
}

static int do_delete(struct scenario *sc, char *args, const char *heredoc, char why[static 200]) {
    (void)heredoc;
    const char *kind = word(&args), *key = word(&args);
    struct object *o = find(sc->srv, kind, key, why);
    if (o == NULL)
        return -1;
    srv_delete(sc->srv, o);
    return 0;
}

static struct log_container *container_of(struct srv *s, const char *key, char why[static 200]) {
    char name[300], container[64] = "";
    snprintf(name, sizeof name, "%s", key);
    char *colon = strchr(name, ':');
    if (colon != NULL) {
        snprintf(container, sizeof container, "%.63s", colon + 1);
        *colon = '\0';
    }
    struct object *o = find(s, "pods", name, why);
    if (o == NULL)
        return NULL;
    CLEANUP_JSON json_t *pod = kstore_json(o);
    if (*container == '\0')
        snprintf(container, sizeof container, "%.63s", jx_text(pod, "spec.containers.0.name"));
    return logs_get(&s->logs, jx_text(pod, "metadata.uid"), container, true);
}

/* log NS/POD[:CONTAINER] [@TIME] TEXT, or a here-document of lines */
static int do_log(struct scenario *sc, char *args, const char *heredoc, char why[static 200]) {
    struct log_container *c = container_of(sc->srv, word(&args), why);
    int64_t now_ns = srv_now_us(sc->srv) * 1000;
    if (c == NULL)
        return -1;
    char *text = (char *)rest_of(args);
    if (*text == '@') {
        int64_t ms;
        char *stamp = (char *)word(&text);
        struct slice s = slice_of(stamp + 1);
        if (!rfc3339_take(&s, &ms, NULL)) {
            snprintf(why, 200, "\"%.100s\" is not a time", stamp);
            return -1;
        }
        now_ns = ms;
        text = (char *)rest_of(text);
    }
    if (heredoc == NULL) {
        if (*text == '"')
            text = (char *)word(&text);
        logs_append(c, now_ns, text, strlen(text));
        return 0;
    }
    struct slice all = slice_of(heredoc), line;
    while (slice_take_line(&all, &line)) {
        int64_t stamp = now_ns++;
        struct slice body = line;
        if (rfc3339_take(&body, &stamp, NULL) && slice_take_char(&body, ' '))
            line = body;
        logs_append(c, stamp, line.data, line.size_bytes);
    }
    return 0;
}

/* flood NS/POD[:CONTAINER] BYTES-A-SECOND SECONDS STAMP */
static int do_flood(struct scenario *sc, char *args, const char *heredoc, char why[static 200]) {
    (void)heredoc;
    struct log_container *c = container_of(sc->srv, word(&args), why);
    if (c == NULL)
        return -1;
    double bytes_per_s = strtod(word(&args), NULL), seconds = strtod(word(&args), NULL);
    struct slice stamp = slice_of(word(&args));
    int64_t time_ns;
    if (bytes_per_s <= 0 || seconds <= 0 || !rfc3339_take(&stamp, &time_ns, NULL)) {
        snprintf(why, 200, "flood NS/POD BYTES-A-SECOND SECONDS STAMP");
        return -1;
    }
    logs_flood(c, time_ns, bytes_per_s, seconds, srv_now_us(sc->srv));
    return 0;
}

static int do_restart(struct scenario *sc, char *args, const char *heredoc, char why[static 200]) {
    (void)heredoc;
    struct log_container *c = container_of(sc->srv, word(&args), why);
    if (c == NULL)
        return -1;
    logs_start_run(c);
    return 0;
}

static int do_exit(struct scenario *sc, char *args, const char *heredoc, char why[static 200]) {
    (void)heredoc;
    struct log_container *c = container_of(sc->srv, word(&args), why);
    if (c == NULL)
        return -1;
    logs_end_run(c);
    return 0;
}

static int do_on(struct scenario *sc, char *args, const char *heredoc, char why[static 200]) {
    (void)heredoc;
    return faults_add(&sc->srv->faults, rest_of(args), why);
}

static int do_serve(struct scenario *sc, char *args, const char *heredoc, char why[static 200]) {
    (void)heredoc;
    const char *name = word(&args);
    if (registry_serve(&sc->srv->registry, name, true) > 0)
        return 0;
    snprintf(why, 200, "no group or kind \"%.100s\"", name);
    return -1;
}

static int do_unserve(struct scenario *sc, char *args, const char *heredoc, char why[static 200]) {
    (void)heredoc;
    const char *name = word(&args);
    if (registry_serve(&sc->srv->registry, name, false) > 0)
        return 0;
    snprintf(why, 200, "no group or kind \"%.100s\"", name);
    return -1;
}

static int do_crd(struct scenario *sc, char *args, const char *heredoc, char why[static 200]) {
    CLEANUP_JSON json_t *crd =
        heredoc != NULL ? jx_load(heredoc, strlen(heredoc), false, why) : jx_load_file(word(&args), false, why);
    return crd == NULL ? -1 : registry_add_crd(&sc->srv->registry, crd, why);
}

static int do_token(struct scenario *sc, char *args, const char *heredoc, char why[static 200]) {
    (void)heredoc, (void)why;
    snprintf(sc->srv->token, sizeof sc->srv->token, "%s", word(&args));
    return 0;
}

static void replace_files(void *srv) {
    if (tls_rotate_files(((struct srv *)srv)->certificates) < 0)
        perror("test-apiserver: rotate-ca");
}

/* rotate-ca [SECONDS]: another CA, server certificate and client certificate; their files follow so much later. */
static int do_rotate_ca(struct scenario *sc, char *args, const char *heredoc, char why[static 200]) {
    (void)heredoc;
    struct srv *s = sc->srv;
    double seconds = strtod(word(&args), NULL);
    if (s->tls == NULL || s->certificates == NULL || tls_rotate(s->certificates, ++s->certificate_number, s->tls) < 0) {
        snprintf(why, 200, "rotate-ca: the server has no certificates that it made itself (--tls)");
        return -1;
    }
    if (seconds > 0)
        timer_start(s, &s->certificate_timer, seconds, replace_files, s);
    else
        replace_files(s);
    wire_reset_all(s);
    return 0;
}

static int do_release(struct scenario *sc, char *args, const char *heredoc, char why[static 200]) {
    (void)heredoc, (void)why, (void)args;
    sc->srv->releases++;
    return 0;
}

static int do_expire(struct scenario *sc, char *args, const char *heredoc, char why[static 200]) {
    (void)heredoc, (void)why, (void)args;
    kstore_expire(&sc->srv->store);
    read_forget_snapshots(sc->srv);
    return 0;
}

static int do_restore(struct scenario *sc, char *args, const char *heredoc, char why[static 200]) {
    (void)heredoc, (void)why, (void)args;
    kstore_restore(&sc->srv->store);
    read_forget_snapshots(sc->srv);
    wire_reset_all(sc->srv);
    return 0;
}

static int do_bookmark(struct scenario *sc, char *args, const char *heredoc, char why[static 200]) {
    (void)heredoc, (void)why, (void)args;
    watch_bookmark_all(sc->srv);
    return 0;
}

static int do_error(struct scenario *sc, char *args, const char *heredoc, char why[static 200]) {
    (void)heredoc, (void)why;
    int code = (int)strtol(word(&args), NULL, 10);
    watch_error_all(sc->srv, word(&args), code, code == 410 ? "Expired" : "InternalError");
    return 0;
}

/* reset | silent [VERB RESOURCE]: what is open now */
static int do_connections(struct scenario *sc, char *args, const char *heredoc, char why[static 200]) {
    (void)heredoc;
    const char *what = word(&args);
    if (strcmp(what, "reset") == 0)
        wire_reset_all(sc->srv);
    else if (strcmp(what, "silent") == 0)
        wire_freeze_all(sc->srv);
    else {
        snprintf(why, 200, "all reset | all silent");
        return -1;
    }
    return 0;
}

/* strike VERB RESOURCE : FAULT - on streams that are open now */
static int do_strike(struct scenario *sc, char *args, const char *heredoc, char why[static 200]) {
    (void)heredoc;
    struct srv *s = sc->srv;
    struct faults one = {.count = 0};
    if (faults_add(&one, rest_of(args), why) < 0)
        return -1;
    const struct rule *r = &one.rules[0];
    int n = 0;
    for (struct conn *c = s->conns, *next; c != NULL; c = next) {
        next = c->next;
        const struct request_log *log = c->log_index >= 0 ? &s->requests[c->log_index] : NULL;
        if (log == NULL || !c->is_stream || c->is_ended || strcmp(log->verb, r->verb) != 0 ||
            (strcmp(r->resource, "*") != 0 && strcmp(log->resource, r->resource) != 0))
            continue;
        c->fault = r->fault;
        conn_strike(c);
        n++;
    }
    faults_done(&one);
    if (n == 0)
        snprintf(why, 200, "no such stream is open");
    return n > 0 ? 0 : -1;
}

static int do_clear(struct scenario *sc, char *args, const char *heredoc, char why[static 200]) {
    (void)heredoc, (void)why;
    if (strcmp(word(&args), "requests") == 0) {
        for (size_t i = 0; i < sc->srv->request_count; i++)
            sc->srv->requests[i].verb[0] = '\0';
        return 0;
    }
    faults_clear(&sc->srv->faults);
    return 0;
}

static int do_stop(struct scenario *sc, char *args, const char *heredoc, char why[static 200]) {
    (void)heredoc, (void)why;
    sc->srv->is_stopping = true;
    sc->srv->exit_code = (int)strtol(word(&args), NULL, 10);
    lws_cancel_service(sc->srv->context);
    return 0;
}

static int do_echo(struct scenario *sc, char *args, const char *heredoc, char why[static 200]) {
    (void)heredoc, (void)why, (void)sc;
    fprintf(stderr, "%s\n", rest_of(args));
    return 0;
}

/* ---- commands that print ---- */

static long count_requests(const struct srv *s, const char *verb, const char *resource, bool is_open_only) {
    long n = 0;
    for (size_t i = 0; i < s->request_count; i++) {
        const struct request_log *r = &s->requests[i];
        n += r->verb[0] != '\0' && (strcmp(verb, "any") == 0 || strcmp(r->verb, verb) == 0) &&
             (strcmp(resource, "*") == 0 || strcmp(r->resource, resource) == 0) && (!is_open_only || r->is_open);
    }
    return n;
}

static bool is_answered(const struct srv *s, const char *verb, const char *resource, int status) {
    for (size_t i = 0; i < s->request_count; i++)
        if (strcmp(s->requests[i].verb, verb) == 0 && strcmp(s->requests[i].resource, resource) == 0 &&
            s->requests[i].status == status)
            return true;
    return false;
}

static int do_requests(struct scenario *sc, char *args, const char *heredoc, char why[static 200]) {
    (void)heredoc, (void)why, (void)args;
    for (size_t i = 0; i < sc->srv->request_count; i++)
        if (sc->srv->requests[i].verb[0] != '\0')
            buf_format(&sc->output, "%s -> %d\n", sc->srv->requests[i].text, sc->srv->requests[i].status);
    return 0;
}

static int do_count(struct scenario *sc, char *args, const char *heredoc, char why[static 200]) {
    (void)heredoc, (void)why;
    const char *verb = word(&args);
    buf_format(&sc->output, "%ld\n", count_requests(sc->srv, verb, word(&args), false));
    return 0;
}

static int do_open(struct scenario *sc, char *args, const char *heredoc, char why[static 200]) {
    (void)heredoc, (void)why;
    const char *verb = word(&args);
    buf_format(&sc->output, "%ld\n", count_requests(sc->srv, verb, word(&args), true));
    return 0;
}

static int do_get(struct scenario *sc, char *args, const char *heredoc, char why[static 200]) {
    (void)heredoc;
    const char *kind = word(&args);
    struct object *o = find(sc->srv, kind, word(&args), why);
    if (o == NULL)
        return -1;
    buf_append(&sc->output, o->text->data, o->text->size_bytes);
    return 0;
}

static int do_list(struct scenario *sc, char *args, const char *heredoc, char why[static 200]) {
    (void)heredoc;
    struct resource *type = registry_named(&sc->srv->registry, word(&args));
    size_t from, to;
    if (type == NULL) {
        snprintf(why, 200, "no such kind");
        return -1;
    }
    kstore_range(&sc->srv->store, type, "", &from, &to);
    for (size_t i = from; i < to; i++)
        buf_format(&sc->output, "%s%s%s\n", sc->srv->store.objects[i]->ns, type->is_namespaced ? "/" : "",
                   sc->srv->store.objects[i]->name);
    return 0;
}

/* holding KIND "TEXT": how many objects of the kind have it in their JSON. */
static int do_holding(struct scenario *sc, char *args, const char *heredoc, char why[static 200]) {
    (void)heredoc;
    struct resource *type = registry_named(&sc->srv->registry, word(&args));
    const char *text = rest_of(args);
    size_t from, to, n = 0;
    if (type == NULL || *text == '\0') {
        snprintf(why, 200, "holding KIND TEXT: no such kind, or no text");
        return -1;
    }
    kstore_range(&sc->srv->store, type, "", &from, &to);
    for (; from < to; from++)
        n += strstr(sc->srv->store.objects[from]->text->data, text) != NULL;
    buf_format(&sc->output, "%zu\n", n);
    return 0;
}

static int do_rv(struct scenario *sc, char *args, const char *heredoc, char why[static 200]) {
    (void)heredoc, (void)why, (void)args;
    buf_format(&sc->output, "%llu\n", (unsigned long long)sc->srv->store.rv);
    return 0;
}

static int do_count_connections(struct scenario *sc, char *args, const char *heredoc, char why[static 200]) {
    (void)heredoc, (void)why, (void)args;
    buf_format(&sc->output, "%ld\n", sc->srv->connections);
    return 0;
}

/* each KIND [NS/]NAME COUNT PER FILE|-: NAME and the file's text with ${i}, ${group}, ${member}, ... filled in. */
static int do_each(struct scenario *sc, char *args, const char *heredoc, char why[static 200]) {
    (void)heredoc;
    const char *kind = word(&args), *key = word(&args), *count = word(&args), *per = word(&args), *path = word(&args);
    int n = (int)strtol(count, NULL, 10), size = (int)strtol(per, NULL, 10);
    if (strcmp(path, "-") == 0)
        return each_start(sc->srv, kind, key, n, size, NULL, why);
    CLEANUP_FREE char *text = NULL;
    FILE *f = fopen(path, "rb");
    size_t bytes = 0, capacity = 1 << 20;
    if (f == NULL) {
        snprintf(why, 200, "%.150s cannot be read", path);
        return -1;
    }
    text = mem_alloc(capacity + 1);
    bytes = fread(text, 1, capacity, f);
    fclose(f);
    text[bytes] = '\0';
    return each_start(sc->srv, kind, key, n, size, text, why);
}

/* check-ledger NS/NAME: the JobGoodput's buckets add up to its wall time, to the millisecond. */
static int do_check_ledger(struct scenario *sc, char *args, const char *heredoc, char why[static 200]) {
    (void)heredoc;
    struct object *o = find(sc->srv, "jobgoodputs", word(&args), why);
    if (o == NULL)
        return -1;
    CLEANUP_JSON json_t *object = kstore_json(o);
    if (jx_int(object, "status.time.wallMilliseconds") > 0)
        return ledger_check(object, why);
    snprintf(why, 200, "it has no wall time");
    return -1;
}

/* check-ledgers: the same of every status that was ever written. Prints their number. */
static int do_check_ledgers(struct scenario *sc, char *args, const char *heredoc, char why[static 200]) {
    (void)args, (void)heredoc;
    struct srv *s = sc->srv;
    buf_format(&sc->output, "%ld\n", s->ledgers_seen);
    if (s->ledgers_bad == 0)
        return 0;
    snprintf(why, 200, "%ld of %ld statuses: first %.150s", s->ledgers_bad, s->ledgers_seen, s->ledger_why);
    return -1;
}

static const struct {
    const char *name;
    command *run;
} commands[] = {
    {"apply", do_apply},
    {"patch", do_patch},
    {"delete", do_delete},
    {"log", do_log},
    {"flood", do_flood},
    {"restart", do_restart},
    {"exit", do_exit},
    {"on", do_on},
    {"serve", do_serve},
    {"unserve", do_unserve},
    {"crd", do_crd},
    {"token", do_token},
    {"rotate-ca", do_rotate_ca},
    {"release", do_release},
    {"expire", do_expire},
    {"restore-etcd", do_restore},
    {"bookmark", do_bookmark},
    {"error", do_error},
    {"all", do_connections},
    {"strike", do_strike},
    {"clear", do_clear},
    {"stop", do_stop},
    {"echo", do_echo},
    {"requests", do_requests},
    {"count", do_count},
    {"open", do_open},
    {"get", do_get},
    {"list", do_list},
    {"rv", do_rv},
    {"connections", do_count_connections},
    {"check-ledger", do_check_ledger},
    {"check-ledgers", do_check_ledgers},
    {"each", do_each},
    {"holding", do_holding},
};

int command_run(struct scenario *sc, const char *line, const char *heredoc, char why[static 200]) {
    int result = life_command(sc->srv, line, why);
    if (result <= 0)
        return result;
    CLEANUP_FREE char *copy = mem_strdup(line);
    char *args = copy;
    const char *name = word(&args);
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
        if (strcmp(name, commands[i].name) == 0)
            return commands[i].run(sc, args, heredoc, why);
    snprintf(why, 200, "unknown command \"%.100s\"", name);
    return -1;
}

int command_condition(struct srv *s, const char *text, char why[static 200]) {
    int life = life_condition(s, text);
    if (life >= 0)
        return life;
    CLEANUP_FREE char *copy = mem_strdup(text);
    char *args = copy, unused[200];
    const char *what = word(&args), *a = word(&args), *b = word(&args), *c = word(&args);
    long n = *c != '\0' ? strtol(c, NULL, 10) : 1;
    if (strcmp(what, "each") == 0)
        return each_is_done();
    if (strcmp(what, "seen") == 0)
        return count_requests(s, a, *b != '\0' ? b : "*", false) >= n;
    if (strcmp(what, "open") == 0)
        return count_requests(s, a, *b != '\0' ? b : "*", true) >= n;
    if (strcmp(what, "answered") == 0)
        return is_answered(s, a, b, (int)n);
    if (strcmp(what, "closed") == 0)
        return count_requests(s, a, *b != '\0' ? b : "*", true) == 0;
    if (strcmp(what, "object") == 0)
        return find(s, a, b, unused) != NULL;
    if (strcmp(what, "deleted") == 0)
        return find(s, a, b, unused) == NULL;
    if (strcmp(what, "faults") == 0)
        return faults_left(&s->faults) == 0;
    if (strcmp(what, "field") == 0) {
        const struct object *o = find(s, a, b, unused);
        CLEANUP_JSON json_t *object = o != NULL ? kstore_json(o) : NULL;
        const json_t *value = jx_path(object, c);
        CLEANUP_FREE char *is =
            value == NULL || json_is_string(value) ? mem_strdup(json_string_value(value)) : jx_dump(value);
        return is != NULL && strcmp(is, rest_of(args)) == 0;
    }
    snprintf(why, 200,
             "wait seen|open|closed VERB RESOURCE [N], object|deleted KIND NS/NAME, field KIND NS/NAME PATH VALUE, "
             "faults done");
    return -1;
}
