/* formats: writes the status of StepLogFormats: whether their examples give what they must. Before, with
 * --install-formats, it makes objects of those that the programs ship (steplog/shipped.h), once for each time that it
 * leads. A chart cannot make them: Helm does not wait until the API server serves a kind of its templates. What has
 * the label managed-by is the controller's; without it, it is a user's and stays. Writes one at once, again after ten
 * seconds where it fails. */
#ifndef OPERATOR_RUNTIME_FORMATS_H
#define OPERATOR_RUNTIME_FORMATS_H

#include "kube/client.h"
#include "operator/model/model.h"

struct runtime_formats;

struct runtime_formats *runtime_formats_new(struct kube_client *client, struct model *model, bool installs);
/* While active it writes what is to be written; called after each change of what is watched. Only where StepLogFormats
 * are served, and have been listed. */
void runtime_formats_set_active(struct runtime_formats *formats, bool is_active);
void runtime_formats_free(struct runtime_formats *formats); /* cancels a write under way; NULL-safe */

#endif
