/* tensorboard: writes each job's scores to event files below --tensorboard-dir, as the Python library's monitor does in
 * the trainer. deploy/docs/how-to/export.md lists their contents. */
#ifndef EXPORT_PUSH_TENSORBOARD_H
#define EXPORT_PUSH_TENSORBOARD_H

#include "export/push/push.h"

push_maker tensorboard_make;

#endif
