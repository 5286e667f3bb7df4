/* disk: a file system of a scenario's own, small enough to be full, and a trainer that pushes lines to the controller
 * which keeps them there. */
#ifndef TESTS_FAULTS_DISK_H
#define TESTS_FAULTS_DISK_H

#include <stdbool.h>
#include <stddef.h>

/* A tmpfs of that many bytes at the folder, in a mount namespace of this process and of those that it starts from now
 * on. NULL, or why that cannot be here: it takes root or user namespaces. Heap. */
char *disk_make(const char *folder, size_t bytes);
void disk_drop(const char *folder);
/* All that is free there is taken, and given back. False: errno. */
bool disk_fill(const char *folder);
bool disk_free(const char *folder);

/* POST /v1/push?job=JOB of these steps' lines, as the story's job prints them, and of a longer one without information,
 * as a ServiceAccount of the namespace "research". The answer's status; -1: there is none. */
int disk_push(int port, const char *job, int first, int last);

#endif
