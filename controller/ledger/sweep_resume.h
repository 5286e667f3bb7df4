/* sweep_resume: starts a sweep where what is settled ends. Private to ledger/. */
#ifndef LEDGER_SWEEP_RESUME_H
#define LEDGER_SWEEP_RESUME_H

#include "ledger/sweep.h"

void sweep_resume(struct sweep *s); /* resume.c */

#endif
