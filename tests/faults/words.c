#include "words.h"

#include "base/buf.h"
#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

char *words_read(const char *path) {
    FILE *file = fopen(path, "rb");
    CLEANUP_BUF struct buf text;
    buf_init(&text, 1 << 20);
    char piece[65536];
    size_t n;
    if (file == NULL)
        return NULL;
    while ((n = fread(piece, 1, sizeof piece, file)) > 0)
        buf_append(&text, piece, n);
    fclose(file);
    return buf_take(&text);
}

void words_write(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    if (file == NULL || fputs(text, file) < 0)
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
    if (file != NULL)
        fclose(file);
}

void words_split(char *text, const char *words[static WORDS_MAX]) {
    size_t n = 0;
    char *save = NULL;
    for (char *w = strtok_r(text, " ", &save); w != NULL && n < WORDS_MAX - 1; w = strtok_r(NULL, " ", &save))
        words[n++] = w;
    words[n] = NULL;
}

bool words_take(const char *line, const char *word, const char **rest) {
    size_t n = strlen(word);
    if (strncmp(line, word, n) != 0 || (line[n] != ' ' && line[n] != '\0'))
        return false;
    *rest = line + n + (line[n] == ' ');
    return true;
}

char *words_behind(const char *text, const char *name) {
    size_t n = strlen(name);
    for (const char *line = text; line != NULL && *line != '\0';) {
        size_t size = strcspn(line, "\n");
        if (strncmp(line, name, n) == 0 && line[n] == ' ')
            return mem_strndup(line + n + 1, size - n - 1);
        line += size + (line[size] == '\n');
    }
    return NULL;
}
