/* extra: what some scenarios need besides the story: a second job, too much log, and a reader of /metrics. */
#ifndef TESTS_FAULTS_EXTRA_H
#define TESTS_FAULTS_EXTRA_H

#include <stddef.h>
#include <stdint.h>

/* The story's lines with the job in the namespace "twin" and other UIDs; pod_path: the second pod.yaml. Heap. */
char *extra_second(const char *text, const char *pod_path);
/* The numbers of the second job's status, in the first one's words. Heap. */
char *extra_first(const char *numbers);
/* Scenario lines that make N pods of another namespace. Heap. */
char *extra_pods(int count);
/* Scenario lines that log N bytes of noise, in lines of line_bytes, all of one instant. Heap. */
char *extra_noise(const char *pod, size_t bytes, size_t line_bytes);
/* The sum of the samples at 127.0.0.1:port/metrics whose line begins so, -1 if there is none. */
int64_t extra_metric(int port, const char *begins);
/* Its samples of requests and of failures. Heap. */
char *extra_troubles(int port);
/* NULL, or what is wrong with TensorBoard's event files below the folder: a record that is not whole, or fewer points
 * than expected. Heap. */
char *extra_bad_events(const char *folder, long points);
void extra_remove(const char *folder); /* "": none */
int extra_free_port(void);             /* of this machine, a moment ago */

#endif
