/* test-status: checks statuses, or whole JobGoodputs, one JSON document a line on standard input (status_check.h).
 * Prints what is wrong with each, and how many there were; the exit code is 1 if any is wrong or there was none. */
#include "status_check.h"

#include <stdio.h>
#include <stdlib.h>

int main(void) {
    char *line = NULL, why[STATUS_WHY];
    size_t capacity = 0;
    long count = 0, wrong = 0;
    for (ssize_t n; (n = getline(&line, &capacity, stdin)) > 0;) {
        count++;
        if (status_check_text(line, (size_t)n, why))
            continue;
        wrong++;
        printf("line %ld: %s\n", count, why);
    }
    free(line);
    printf("%ld statuses, %ld wrong\n", count, wrong);
    return count == 0 || wrong != 0;
}
