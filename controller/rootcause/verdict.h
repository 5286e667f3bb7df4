/* verdict: the root cause over the logs of several processes, or that there is none in them.
 *
 * The rules. Over all logs the strongest role counts; a symptom is never promoted. Among causes the earliest stamp wins
 * where both lines are stamped; otherwise the order of the logs decides. Among symptoms it does as well, but a lost
 * peer follows from any other symptom of the same moment. A process that was stopped after a failure was stopped
 * because of it, in its log and in others'; without stamps a symptom does not count as such a failure. A log that ends
 * in an abort without a symptom is of a crash. A cause that progress follows counts only if nothing comes after it. */
#ifndef ROOTCAUSE_VERDICT_H
#define ROOTCAUSE_VERDICT_H

#include "rootcause/log.h"

#define VERDICT_BASIS_BYTES 512
#define VERDICT_NO_LOG (-1)
#define VERDICT_NO_EXIT_CODE (-1)

struct rootcause_verdict {
    struct finding finding; /* class CLASS_UNKNOWN and no text if there is none; line 0: by the exit code alone */
    bool is_symptom_only;
    int log;                             /* whose line it is; VERDICT_NO_LOG: none */
    size_t followers;                    /* logs, or ranks of a single log, that show only symptoms of it */
    char waits_for[FINDING_WAITS_BYTES]; /* of a symptom: whom it waits for; "" if no line says */
    int waits_for_log;                   /* the same as a log, by its stack or its silence; VERDICT_NO_LOG */
    char basis[VERDICT_BASIS_BYTES];     /* a sentence that starts with "Observed" or "Derived" */
};

/* logs: after their end, in the caller's order. exit_code: of the container that failed first, or
 * VERDICT_NO_EXIT_CODE. */
void rootcause_verdict(struct rootcause_verdict *ret, const struct matcher *m, struct rootcause_log *const *logs,
                       size_t count, int exit_code);

#endif
