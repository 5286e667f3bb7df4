/* verdicts: what the API server found out of the bearers of tokens, by the SHA-256 of each token: whoever is admitted
 * for a minute, a refusal for ten seconds. Tokens are neither kept nor logged. */
#ifndef EXPORT_VERDICTS_H
#define EXPORT_VERDICTS_H

#include "base/sha256.h"

#include <stdint.h>

struct verdict {
    unsigned char token[SHA256_BYTES];
    int status;       /* 200, 401, 403 */
    void *bearer;     /* of the caller of verdicts_put() */
    int64_t until_us; /* 0: none */
};

struct verdicts;

/* Beyond its capacity a new verdict replaces the one that ends first, whose bearer release() gets; NULL: no function
 * does. */
struct verdicts *verdicts_new(int capacity, void (*release)(void *bearer));
void verdicts_free(struct verdicts *verdicts);
/* NULL: not known, or no longer. */
const struct verdict *verdicts_find(const struct verdicts *verdicts, const unsigned char *token, int64_t now_us);
void verdicts_put(struct verdicts *verdicts, const unsigned char *token, int status, void *bearer, int64_t now_us);

#endif
