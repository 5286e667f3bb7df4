#include "folder.h"

#include "base/mem.h"
#include "harness.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void folder_make(char path[static FOLDER_PATH]) {
    snprintf(path, FOLDER_PATH, "/tmp/goodput-test-XXXXXX");
    if (mkdtemp(path) == NULL) {
        perror(path);
        abort();
    }
}

void folder_remove(const char *path) {
    CLEANUP_FREE char *command = mem_format("rm -rf '%s'", path);
    CHECK_INT(system(command), 0);
}

static void put(const char *folder, const char *name, const char *text, int flags) {
    CLEANUP_FREE char *path = mem_format("%s/%s", folder, name);
    for (char *slash = path + strlen(folder); (slash = strchr(slash + 1, '/')) != NULL;) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    int fd = open(path, O_WRONLY | O_CREAT | flags, 0600);
    ssize_t size = (ssize_t)strlen(text);
    if (fd < 0 || write(fd, text, (size_t)size) != size)
        harness_fail(__FILE__, __LINE__, "cannot write %s", path);
    if (fd >= 0)
        close(fd);
}

void folder_write(const char *folder, const char *name, const char *text) {
    put(folder, name, text, O_TRUNC);
}

void folder_append(const char *folder, const char *name, const char *text) {
    put(folder, name, text, O_APPEND);
}

char *folder_kubeconfig(const char *server, const char *cluster, const char *user) {
    char *path = mem_strdup("/tmp/goodput-kubeconfig-XXXXXX");
    int fd = mkstemp(path);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (file == NULL) {
        perror(path);
        abort();
    }
    fprintf(file,
            "current-context: x\nclusters: [{name: x, cluster: {server: \"%s\", %s}}]\n"
            "contexts: [{name: x, context: {cluster: x, user: x}}]\nusers:\n- name: x\n  user: {%s}\n",
            server, cluster, user);
    fclose(file);
    return path;
}
