/* styles: how the logs of trainers look that no format names, as data (tests/data/styles/README.md), and whether they
 * are read: the productive time that the ledger finds against the job's own. */
#ifndef TRUTH_STYLES_H
#define TRUTH_STYLES_H

#include "sim.h"

#define STYLE_LINES 64

struct style {
    char *name;
    struct style_line {
        enum {
            STYLE_START,
            STYLE_RESTORE,
            STYLE_STEP,
            STYLE_EPOCH,
            STYLE_EPOCH_END,
            STYLE_EVALUATION,
            STYLE_SAVE,
            STYLE_BAR
        } kind;
        char *text;
    } lines[STYLE_LINES];
    int count, ranks;
    bool is_each_step, is_refused, is_bar_of_epoch, saves_by_epoch;
};

bool style_evaluates(const struct style *s);
bool style_logs_each_step(const struct style *s);
bool style_draws_bar(const struct style *s);
/* The steps between saves, which are the epochs' ends; 0: any. */
int64_t style_save_steps(const struct style *s);

/* Reads the styles of all files, judges `jobs` jobs of each, prints a line a style; whether all are read or refused as
 * their files say. only: one style's name; NULL. */
bool styles_run(const char *const *files, int file_count, const char *only, uint64_t seed, int64_t jobs, bool prints);

/* The styles of files, which styles_free() frees; exits where one cannot be read. */
int styles_read(const char *const *files, int file_count, struct style **ret);
void styles_free(struct style *styles, int count);

#endif
