/* arguments: options of a command line as a table: "-o json", "-ojson", "--output json", "--output=json". */
#ifndef CLI_ARGUMENTS_H
#define CLI_ARGUMENTS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct argument_row {
    const char *short_name, *long_name;
    size_t offset; /* of the field in the options */
    bool takes_value;
    /* Sets the field; NULL: it is a const char * that borrows the value, or without a value a bool. */
    int (*set)(void *field, const char *option, const char *value, struct error **err);
    const char *commands; /* that take it, separated by ", "; NULL: all */
    const char *help;     /* its line; NULL: the usage of the command has it */
};

/* Whether the list "a, b, c" has the word. */
bool arguments_lists(const char *list, const char *word);

/* Whether the command takes the option. */
bool arguments_is_for(const struct argument_row *row, const char *command);

/* Takes the option at argv[*i] into the options; moves *i past its value. command: whose help lists the options. */
int arguments_take(const struct argument_row *rows, size_t count, const char *command, char **argv, int argc, int *i,
                   void *options, struct error **err);

/* --from and --to: a time, or a day, which starts at midnight UTC. NULL: INT64_MIN and INT64_MAX. */
int arguments_window(const char *from, const char *to, int64_t *ret_from_ms, int64_t *ret_to_ms, struct error **err);

#endif
