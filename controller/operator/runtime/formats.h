/* formats: writes the status of StepLogFormats: whether their examples give what they must. Writes one at once, again
 * after ten seconds where it fails. */
#ifndef OPERATOR_RUNTIME_FORMATS_H
#define OPERATOR_RUNTIME_FORMATS_H

#include "kube/client.h"
#include "operator/model/model.h"

struct runtime_formats;

struct runtime_formats *runtime_formats_new(struct kube_client *client, struct model *model);
/* While active it writes what is to be written; called after each change of what is watched. */
void runtime_formats_set_active(struct runtime_formats *formats, bool is_active);
void runtime_formats_free(struct runtime_formats *formats); /* cancels a write under way; NULL-safe */

#endif
