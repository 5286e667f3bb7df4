/* worker: commands of kubectl-goodput in one process, hundreds a second under a sanitizer. Reads requests from standard
 * input, one a line: a file for what the command prints, a file for its errors, and its arguments, separated by \x1f.
 * Answers each with a line that has the exit code; a crash ends the worker without one. outputs.py drives it. */
#include "cli/cli.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ARGUMENTS_MAX = 512 };

#define SEPARATOR '\x1f'

static bool redirect(const char *path, int to) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0)
        return false;
    bool is_done = dup2(fd, to) == to;
    close(fd);
    return is_done;
}

static int run(char *request) {
    char *words[ARGUMENTS_MAX + 1] = {0};
    int count = 0;
    for (char *at = request; at != NULL && count < ARGUMENTS_MAX;) {
        words[count++] = at;
        at = strchr(at, SEPARATOR);
        if (at != NULL)
            *at++ = '\0';
    }
    if (count < 2 || !redirect(words[0], STDOUT_FILENO) || !redirect(words[1], STDERR_FILENO))
        return 99;
    words[1] = (char[]){"kubectl-goodput"};
    int code = cli_main(count - 1, words + 1);
    return fflush(stdout) == 0 ? code : 98;
}

int main(void) {
    char *line = NULL;
    size_t capacity = 0;
    ssize_t size;
    FILE *answers = fdopen(dup(STDOUT_FILENO), "w");
    if (answers == NULL)
        return 1;
    while ((size = getline(&line, &capacity, stdin)) > 0) {
        if (line[size - 1] == '\n')
            line[size - 1] = '\0';
        fprintf(answers, "%d\n", run(line));
        fflush(answers);
    }
    free(line);
    fclose(answers);
    return 0;
}
