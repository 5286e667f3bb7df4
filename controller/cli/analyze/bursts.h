/* analyze_bursts: steps of a program that buffers its output (Python writes 8 KiB at once to a pipe): many lines have
 * the stamp of the write. Eight or more steps whose stamps are closer than a tenth of the duration that their lines
 * state are a burst: each then ends before the next one's duration, the last one at its stamp. Without durations the
 * steps within 10 ms are spread evenly over the time since the burst before; the first burst stays where it is. */
#ifndef CLI_ANALYZE_BURSTS_H
#define CLI_ANALYZE_BURSTS_H

#include "ledger/record.h"

#include <stddef.h>

struct analyze_bursts {
    void (*on_record)(void *context, const struct record *r); /* set before the first record */
    void *context;
    struct record *held; /* owned */
    size_t count, capacity;
    int64_t newest_ms; /* of the records handed on; TIME_UNKNOWN before the first */
    int64_t step_ms;   /* of the step last held */
    int64_t placed;    /* steps of bursts, of this file */
    int64_t write_ms;  /* of the last burst without durations; TIME_UNKNOWN */
};

void analyze_bursts_begin(struct analyze_bursts *b); /* another file starts */
void analyze_bursts_done(struct analyze_bursts *b);
/* Hands the record on, if need be after those that follow it. */
void analyze_bursts_note(struct analyze_bursts *b, const struct record *r);
/* Hands on what is held. */
void analyze_bursts_flush(struct analyze_bursts *b);

#endif
