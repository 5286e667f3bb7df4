/* scenario: runs the line language of README.md: from a file against the clock, or from the control channel (stdin)
 * with an answer. A scenario runs until it has to wait, and a timer resumes it. */
#ifndef TESTS_APISERVER_SCENARIO_H
#define TESTS_APISERVER_SCENARIO_H

#include "srv.h"

struct scenario {
    struct srv *srv;
    char *text;
    const char *at; /* next line */
    int line;
    int64_t start_us, last_us; /* `at` counts from start, `after` from the last timed command */
    int64_t wait_until_us;     /* of the `wait` under way */
    const char *name;          /* of the file, for messages */
    struct buf output;
    void (*done)(struct scenario *sc, const char *failure); /* NULL failure: success */
    struct timer timer;
    struct scenario *next;
};

/* Starts it; `done` may be called before this returns. The scenario frees itself after `done`. */
void scenario_start(struct srv *srv, const char *name, const char *text, void (*done)(struct scenario *, const char *));
/* Frees those under way. */
void scenario_stop_all(struct srv *srv);
/* Reads the control channel. */
void control_open(struct srv *srv, int fd);
void control_done(struct srv *srv);

/* each.c: `count` changes of one kind, put or (template NULL) deleted, in the background; only one runs at once. */
int each_start(struct srv *s, const char *kind, const char *key, int count, int per, const char *template_,
               char why[static 200]);
bool each_is_done(void);
void each_stop(void);

/* commands.c: one command; heredoc may be NULL. 0, or -1 with a sentence in why[]. */
int command_run(struct scenario *sc, const char *line, const char *heredoc, char why[static 200]);
/* 1 true, 0 not yet, -1 nonsense. */
int command_condition(struct srv *s, const char *text, char why[static 200]);

/* life.c: the level above objects; 1 if the word is none of its commands. */
int life_command(struct srv *s, const char *line, char why[static 200]);
/* Conditions of lives: `trained NAME STEP`, `idle NAME`; -1 if it is none of them. */
int life_condition(struct srv *s, const char *text);
void life_stop_all(struct srv *s);

#endif
