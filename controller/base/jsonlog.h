/* jsonlog: the controller's own log, one JSON object per line on stderr:
 *   {"ts":"...","level":"info","msg":"leader","lease":"goodput-system/goodput-controller"}
 * msg is constant text; what varies goes into typed fields whose names carry units. No secrets. A full pipe drops the
 * line rather than block the loop: poll() is asked first, and a line has at most 4,096 bytes (beyond that its fields
 * are left out). stderr's own flags stay as they are; it may be the user's terminal. */
#ifndef BASE_JSONLOG_H
#define BASE_JSONLOG_H

#include <stdint.h>

enum jsonlog_level { JSONLOG_ERROR, JSONLOG_WARNING, JSONLOG_INFO, JSONLOG_DEBUG };

void jsonlog_init(enum jsonlog_level level);

/* Fields follow msg as (key, LOG_S(text) | LOG_I(int64) | LOG_B(bool)) and end with NULL:
 *   jsonlog(JSONLOG_INFO, "watch started", "resource", LOG_S("pods"), "items", LOG_I(12), NULL); */
#define LOG_S(text) 's', (const char *)(text)
#define LOG_I(value) 'i', (int64_t)(value)
#define LOG_B(value) 'b', (int)(value)
/* Lines that could not be written, or not whole: stderr is full, or closed. */
int64_t jsonlog_dropped(void);
void jsonlog(enum jsonlog_level level, const char *msg, ...);

#endif
