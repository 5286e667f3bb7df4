/* browser: shows an address in the user's browser: by the program that the variable BROWSER names, else by xdg-open
 * (Linux) or open (macOS). */
#ifndef CLI_KUBECTL_BROWSER_H
#define CLI_KUBECTL_BROWSER_H

#include <stdbool.h>

/* Does not wait for the browser. false if that program is missing. */
bool browser_open(const char *address);

#endif
