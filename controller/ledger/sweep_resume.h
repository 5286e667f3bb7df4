/* sweep_resume: starts a sweep where the settled part ends. Private to ledger/. */
#ifndef LEDGER_SWEEP_RESUME_H
#define LEDGER_SWEEP_RESUME_H

#include "ledger/sweep.h"

void sweep_resume(struct sweep *s);

#endif
