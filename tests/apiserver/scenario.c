#include "scenario.h"

#include "base/clock.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void step(void *context);

static void scenario_free(struct scenario *sc) {
    for (struct scenario **at = &sc->srv->scenarios; *at != NULL; at = &(*at)->next) {
        if (*at == sc) {
            *at = sc->next;
            break;
        }
    }
    timer_stop(&sc->timer);
    free(sc->text);
    buf_done(&sc->output);
    free(sc);
}

static void finish(struct scenario *sc, const char *failure) {
    if (sc->done != NULL)
        sc->done(sc, failure);
    scenario_free(sc);
}

void scenario_stop_all(struct srv *srv) {
    while (srv->scenarios != NULL)
        scenario_free(srv->scenarios);
}

static void fail(struct scenario *sc, const char *why) {
    CLEANUP_FREE char *text = mem_format("%s line %d: %s", sc->name, sc->line, why);
    finish(sc, text);
}

/* A copy of the next line without surrounding spaces; NULL at the end. */
static char *next_line(struct scenario *sc) {
    if (*sc->at == '\0')
        return NULL;
    size_t n = strcspn(sc->at, "\n");
    struct slice s = slice_trim((struct slice){sc->at, n});
    sc->at += n + (sc->at[n] == '\n');
    sc->line++;
    return slice_dup(s);
}

/* If the line ends in <<WORD, cuts that off and returns the lines up to WORD; *ok is false if WORD never comes. */
static char *take_heredoc(struct scenario *sc, char *line, bool *ok) {
    char *mark = strstr(line, "<<");
    *ok = true;
    if (mark == NULL || strchr(mark, ' ') != NULL || mark[2] == '\0')
        return NULL;
    CLEANUP_FREE char *word = mem_strdup(mark + 2);
    *mark = '\0';
    const char *start = sc->at;
    while (*sc->at != '\0') {
        const char *from = sc->at;
        size_t n = strcspn(from, "\n");
        sc->at += n + (from[n] == '\n');
        sc->line++;
        if (slice_is(slice_trim((struct slice){from, n}), word))
            return mem_strndup(start, (size_t)(from - start));
    }
    *ok = false;
    return NULL;
}

/* "at 2.5s rest", "after 1s rest", "sleep 1s": the moment in *due and the rest; false if the line is not timed. */
static bool take_time(const struct scenario *sc, const char *line, int64_t *due, const char **rest) {
    static const char *const words[] = {"at ", "after ", "sleep "};
    for (size_t i = 0; i < 3; i++) {
        size_t n = strlen(words[i]);
        char *end;
        if (strncmp(line, words[i], n) != 0)
            continue;
        double seconds = strtod(line + n, &end);
        if (end == line + n)
            return false;
        end += *end == 's';
        end += strspn(end, " ");
        *due = (i == 0 ? sc->start_us : sc->last_us) + (int64_t)(seconds * 1e6);
        *rest = end;
        return true;
    }
    return false;
}

static void sleep_until(struct scenario *sc, int64_t due_us) {
    int64_t now = clock_mono().us;
    timer_start(sc->srv, &sc->timer, due_us > now ? (double)(due_us - now) / 1e6 : 0, step, sc);
}

/* 1: continue; 0: wait; -1: failed and freed. */
static int wait_for(struct scenario *sc, const char *text) {
    char why[200] = "";
    int64_t now = clock_mono().us;
    double limit = 60;
    char *end;
    double given = strtod(text, &end);
    if (end != text && *end == 's') {
        limit = given;
        text = end + 1 + (end[1] == ' ');
    }
    if (sc->wait_until_us == 0)
        sc->wait_until_us = now + (int64_t)(limit * 1e6);
    int state = command_condition(sc->srv, text, why);
    if (state > 0) {
        sc->wait_until_us = 0;
        sc->last_us = now;
        return 1;
    }
    if (state < 0 || now > sc->wait_until_us) {
        CLEANUP_FREE char *message =
            state < 0 ? mem_strdup(why) : mem_format("\"wait %s\" has not come true in %g s", text, limit);
        fail(sc, message);
        return -1;
    }
    timer_start(sc->srv, &sc->timer, 0.01, step, sc);
    return 0;
}

/* 1: continue; 0: wait and run the line again; -1: ended. */
static int run_line(struct scenario *sc, char *line) {
    char why[200] = "";
    const char *rest = line;
    int64_t due;
    if (take_time(sc, line, &due, &rest)) {
        if (clock_mono().us < due) {
            sleep_until(sc, due);
            return 0;
        }
        sc->last_us = due;
    }
    if (*rest == '\0')
        return 1;
    if (strncmp(rest, "wait ", 5) == 0)
        return wait_for(sc, rest + 5);
    bool ok;
    char *cut = line + (rest - line);
    CLEANUP_FREE char *heredoc = take_heredoc(sc, cut, &ok);
    if (!ok) {
        fail(sc, "the here-document does not end");
        return -1;
    }
    int result = command_run(sc, cut, heredoc, why);
    if (result < 0) {
        fail(sc, why);
        return -1;
    }
    return 1;
}

static void step(void *context) {
    struct scenario *sc = context;
    for (;;) {
        const char *from = sc->at;
        int number = sc->line;
        CLEANUP_FREE char *line = next_line(sc);
        if (line == NULL) {
            finish(sc, NULL);
            return;
        }
        if (*line == '\0' || *line == '#')
            continue;
        int next = run_line(sc, line);
        if (next < 0)
            return;
        if (next == 0) {
            sc->at = from;
            sc->line = number;
            return;
        }
    }
}

void scenario_start(struct srv *srv, const char *name, const char *text,
                    void (*done)(struct scenario *, const char *)) {
    struct scenario *sc = mem_new(struct scenario);
    *sc = (struct scenario){.srv = srv, .name = name, .done = done, .next = srv->scenarios};
    srv->scenarios = sc;
    sc->text = mem_strdup(text);
    sc->at = sc->text;
    sc->start_us = sc->last_us = clock_mono().us;
    buf_init(&sc->output, 256 << 20);
    step(sc);
}

/* ---- the control channel: commands up to a line ".", answered by output and ".ok" or ".error WHY" ---- */

struct control {
    struct srv *srv;
    int fd;
    struct buf in;
};

static void write_all(const char *data, size_t size) {
    while (size > 0) {
        ssize_t n = write(STDOUT_FILENO, data, size);
        if (n < 0 && errno == EAGAIN)
            continue;
        if (n <= 0)
            return;
        data += n;
        size -= (size_t)n;
    }
}

static void answer(struct scenario *sc, const char *failure) {
    CLEANUP_FREE char *last = failure != NULL ? mem_format(".error %s\n", failure) : mem_strdup(".ok\n");
    if (sc->output.size_bytes > 0)
        write_all(sc->output.data, sc->output.size_bytes);
    if (sc->output.size_bytes > 0 && sc->output.data[sc->output.size_bytes - 1] != '\n')
        write_all("\n", 1);
    write_all(last, strlen(last));
}

static void on_readable(void *context) {
    struct control *c = context;
    char piece[65536];
    ssize_t n = read(c->fd, piece, sizeof piece);
    if (n == 0) {
        c->srv->is_stopping = true;
        lws_cancel_service(c->srv->context);
        return;
    }
    if (n < 0)
        return;
    buf_append(&c->in, piece, (size_t)n);
    const char *end;
    while ((end = slice_find(buf_slice(&c->in), "\n.\n")) != NULL) {
        size_t size = (size_t)(end - c->in.data) + 1;
        CLEANUP_FREE char *text = mem_strndup(c->in.data, size);
        buf_consume(&c->in, size + 2);
        scenario_start(c->srv, "control", text, answer);
    }
}

void control_open(struct srv *srv, int fd) {
    struct control *c = mem_new(struct control);
    *c = (struct control){.srv = srv, .fd = fd};
    buf_init(&c->in, 256 << 20);
    srv->control = c;
    wire_watch_fd(srv, fd, on_readable, c);
}

void control_done(struct srv *srv) {
    if (srv->control != NULL)
        buf_done(&srv->control->in);
    free(srv->control);
    srv->control = NULL;
}
