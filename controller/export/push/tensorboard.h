/* tensorboard: writes each job's scores to event files below --tensorboard-dir, as the Python library's monitor does
 * from within the trainer; what is in them: deploy/docs/how-to/export.md. */
#ifndef EXPORT_PUSH_TENSORBOARD_H
#define EXPORT_PUSH_TENSORBOARD_H

#include "export/push/push.h"

push_maker tensorboard_make;

#endif
