/* cursor_silent: the steps that no line reports, after a process's last line or before its first. Private to ledger/.
 */
#ifndef LEDGER_CURSOR_SILENT_H
#define LEDGER_CURSOR_SILENT_H

#include "ledger/cursor.h"

bool cursor_are_silent_lost(const struct cursor *c, const struct view *v, int64_t last_step);
int64_t cursor_silent_ms(const struct cursor *c, const struct view *v);
int64_t cursor_unlogged_ms(const struct cursor *c, const struct view *v);

#endif
