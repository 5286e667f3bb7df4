/* folder: a folder below /tmp that belongs to one test, the files in it, and kubeconfigs. What cannot be done fails the
 * test. */
#ifndef HARNESS_FOLDER_H
#define HARNESS_FOLDER_H

enum { FOLDER_PATH = 64 };

void folder_make(char path[static FOLDER_PATH]);
void folder_remove(const char *path); /* with all in it */
/* A file below the folder; the folders in between are made. */
void folder_write(const char *folder, const char *name, const char *text);
void folder_append(const char *folder, const char *name, const char *text);
/* A kubeconfig at a new path (heap; the caller removes and frees) for this server. cluster: members of the cluster,
 * such as "proxy-url: x"; user: members of the user, such as "token: x"; both YAML. */
char *folder_kubeconfig(const char *server, const char *cluster, const char *user);

#endif
