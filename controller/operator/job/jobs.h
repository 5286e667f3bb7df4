/* jobs: all JobGoodputs, by name and by the target that they name, and what they share. They read the store; the model
 * owns both. */
#ifndef OPERATOR_JOB_JOBS_H
#define OPERATOR_JOB_JOBS_H

#include "base/map.h"
#include "formulas/price.h"

#include <stdbool.h>

struct followed_words;
struct matcher;
struct model_job;
struct rootcause_log;
struct store;

struct jobs_settings { /* of the controller; model.h explains them */
    bool keeps_checkpoints, reads_last_words, archives;
    int64_t forget_after_ms;
    char *chip_peaks, *chip_prices;     /* NULL */
    struct owners_policy *owner_policy; /* NULL: the defaults */
    char *documentation_url;            /* without a / at its end */
    char *cluster_name;                 /* NULL: not known */
    char currency[PRICE_CURRENCY_SIZE];
};

struct jobs {
    struct store *store;
    struct jobs_settings settings;
    struct matcher *matcher;                            /* of last words: last_words.h; NULL until there are some */
    struct followed_words *oldest_words, *newest_words; /* of logs that are followed: followed_words.h */
    int words_count;
    struct map by_name;   /* "ns/name" -> model_job */
    struct map by_target; /* store_name_key() -> the oldest JobGoodput of that target, seen or not */
    struct map formats;   /* StepLogFormats by name: formats.h */
    struct map log_work;  /* "ns/name" -> units of this minute: log_work.h */
    int64_t log_work_minute;
    struct model_job **dirty; /* their statuses may change */
    size_t dirty_count, dirty_capacity;
    int64_t receipt_ms;       /* of the object that is being observed; TIME_UNKNOWN: none is */
    int64_t pods_recorded;    /* how often a pod became facts: what an event costs besides reading it */
    int64_t pods_looked_at;   /* besides, for a status */
    int64_t jobs_looked_at;   /* how often a JobGoodput was, to find the one that measures a target */
    int64_t places_looked_at; /* comparisons, to place pods without completion index */
};

struct matcher *jobs_matcher(struct jobs *jobs); /* made when it is first needed */
/* An empty log of last words, whose lines have stamps. */
struct rootcause_log *jobs_new_words(struct jobs *jobs);

#define JOBS_NAME_KEY 520
struct slice jobs_name_key(char out[static JOBS_NAME_KEY], const char *namespace_, const char *name);

#endif
