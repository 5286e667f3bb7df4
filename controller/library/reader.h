/* reader: recorder entries from JSON lines. The generic way walks the object; a step line that begins like the one
 * before it (a million do) is read by comparing bytes. */
#ifndef LIBRARY_READER_H
#define LIBRARY_READER_H

#include "library/log.h"

/* Reads whole lines. Those that are not JSON objects, or hold no "job_name", are no entries; an object that is cut off
 * or an entry whose fields cannot be read is left out and counted in `refused`. Sets the line numbers on: lines. */
void library_log_read(struct library_log *log, struct slice bytes);

#endif
