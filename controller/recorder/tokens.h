/* tokens: tokens of single jobs, for writers whom the API server does not know (outside the cluster): a folder, as a
 * mounted Secret has it, with a file for each job, named NAMESPACE.JOB, a token a line; two lines while one takes the
 * other's place. Only their SHA-256 are kept, and compared in a time that reveals nothing of them. */
#ifndef RECORDER_TOKENS_H
#define RECORDER_TOKENS_H

#include "base/error.h"
#include "base/slice.h"

#define TOKENS_MAX 4096     /* beyond it they are left out, which is logged */
#define TOKENS_MIN_BYTES 32 /* a shorter one is none: it could be guessed */
#define TOKENS_DIGEST_BYTES 32

struct tokens;

struct tokens *tokens_new(const char *folder);
void tokens_free(struct tokens *tokens); /* NULL-safe */
/* Whose it is: false if nobody's. The folder is read again when ten seconds have passed since it was. */
bool tokens_find(struct tokens *tokens, const unsigned char digest[static TOKENS_DIGEST_BYTES], int64_t now_us,
                 char namespace_[static 64], char job[static 256]);

/* "research.llama3-70b" of a file's name; false if it is none. */
bool tokens_read_name(struct slice name, char namespace_[static 64], char job[static 256]);

#endif
