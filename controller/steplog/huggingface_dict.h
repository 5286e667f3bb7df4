/* huggingface_dict: a dictionary that the Trainer printed: {'loss': ..., 'learning_rate': ..., 'epoch': ...} of a step,
 * {'eval_loss': ..., 'eval_runtime': ...} of an evaluation, or what a torn line left of one. Not for use outside
 * steplog/. */
#ifndef STEPLOG_HUGGINGFACE_DICT_H
#define STEPLOG_HUGGINGFACE_DICT_H

#include "base/codec.h"
#include "base/slice.h"

struct huggingface_dict {
    int64_t stamp_ms, step; /* step: RECORD_NONE until known */
    int64_t evaluation_ms;  /* of an evaluation that waits for the steps before it; RECORD_NONE: unknown */
    int64_t share;          /* of the epochs, in billionths; RECORD_NONE */
    bool is_step, is_evaluation;
    bool has_begin; /* the line's stamp is its own */
};

/* False: not one. has_dict: one came before, so that any dictionary is the Trainer's; may_be_torn: so is a part of one.
 * Time, step and share are left to the caller. */
bool huggingface_dict_parse(struct huggingface_dict *d, struct slice text, bool has_dict, bool may_be_torn,
                            bool *is_torn);

void huggingface_dict_visit(struct huggingface_dict *d, struct codec *c);

#endif
