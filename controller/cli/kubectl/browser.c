#include "cli/kubectl/browser.h"

#include "base/mem.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <unistd.h>

extern char **environ;

#ifdef __APPLE__
#define OPENER "open"
#else
#define OPENER "xdg-open"
#endif

bool browser_open(const char *address) {
    const char *named = getenv("BROWSER");
    char *argv[] = {(char *)(named != NULL && *named != '\0' ? named : OPENER), (char *)address, NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid; /* init waits for it after our end, which is the user's ^C */
    static const int quiet[] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
    posix_spawn_file_actions_init(&actions);
    for (size_t i = 0; i < ARRAY_SIZE(quiet); i++)
        posix_spawn_file_actions_addopen(&actions, quiet[i], "/dev/null", O_RDWR, 0);
    int code = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return code == 0;
}
