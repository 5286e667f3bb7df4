/* words: files as text, and the words of a scenario's lines. */
#ifndef TESTS_FAULTS_WORDS_H
#define TESTS_FAULTS_WORDS_H

#include <stdbool.h>

enum { WORDS_MAX = 16 };

char *words_read(const char *path); /* the whole file, heap; NULL: there is none */
void words_write(const char *path, const char *text);
/* Splits words in place at blanks; NULL-terminated. */
void words_split(char *text, const char *words[static WORDS_MAX]);
/* A line of that word: *rest is what stands behind it. */
bool words_take(const char *line, const char *word, const char **rest);
/* What stands behind the name in the first line that begins with it; heap, NULL: none does. */
char *words_behind(const char *text, const char *name);

#endif
