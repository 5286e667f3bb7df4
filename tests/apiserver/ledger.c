/* What must hold in every status of a JobGoodput, at every moment (status_check.h): looked at with each write of one.
 */
#include "jx.h"
#include "srv.h"
#include "status_check.h"

#include <stdio.h>

int ledger_check(const json_t *object, char why[static 200]) {
    char words[STATUS_WHY];
    if (status_check(object, words))
        return 0;
    snprintf(why, 200, "%.199s", words);
    return -1;
}

void ledger_look(struct srv *s, const json_t *object) {
    char why[STATUS_WHY];
    s->ledgers_seen++;
    if (status_check(object, why))
        return;
    s->ledgers_bad++;
    fprintf(stderr, "test-apiserver: %s/%s: %s\n", jx_text(object, "metadata.namespace"),
            jx_text(object, "metadata.name"), why);
    if (s->ledger_why[0] == '\0')
        snprintf(s->ledger_why, sizeof s->ledger_why, "%.120s: %.190s", jx_text(object, "metadata.name"), why);
}
