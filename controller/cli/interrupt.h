/* interrupt: a command that runs until the user ends it (^C, SIGTERM), so that it can end its kubectl, too. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

void interrupt_defer(void); /* from now on SIGINT and SIGTERM wait; processes started meanwhile get them */
bool interrupt_came(void);

#endif
