/* exits: what an exit code says of a process, and the codes that launchers print. */
#ifndef ROOTCAUSE_EXITS_H
#define ROOTCAUSE_EXITS_H

#include "rootcause/signatures.h"

struct exit_meaning {
    int signal;
    enum rootcause_class class_;
    enum rootcause_role role;
    const char *reason;
};

/* Of a code: -N (Python, torchelastic) or 128 + N (shells, Kubernetes) is the signal N. NULL: not a signal that says
 * more than that the process failed. */
const struct exit_meaning *exit_meaning_of(int64_t code);
/* "exitcode  : -11 (pid: 7)", "crashed with exit code -7", "exits with return code = 1": the code, which is not 0. */
bool exit_code_in(struct slice line, int64_t *code);

#endif
