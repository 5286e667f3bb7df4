#include "steplog/huggingface_dict.h"

#include "ledger/record.h"
#include "steplog/text.h"

/* Version 5 quotes the values. */
static int64_t evaluation_ms(struct slice dict) {
    struct slice value;
    int64_t ms;
    if (!text_after(dict, "'eval_runtime': ", &value))
        return RECORD_NONE;
    slice_take_char(&value, '\'');
    return take_duration_ms(&value, &ms) ? ms : RECORD_NONE;
}

/* Of a dictionary whose line was torn: its beginning or its end, as far as that shows whose it is. */
static void parse_torn(struct huggingface_dict *d, struct slice text, struct slice dict) {
    if (d->has_begin) {
        d->is_step = slice_starts(dict, "loss': ");
        d->is_evaluation = slice_starts(dict, "eval_");
    } else if (slice_contains(text, "'epoch': ") && slice_ends(slice_trim(text), "}")) {
        d->is_evaluation = slice_contains(text, "eval_");
        d->is_step = !d->is_evaluation && !slice_contains(text, "train_");
    }
}

bool huggingface_dict_parse(struct huggingface_dict *d, struct slice text, bool has_dict, bool may_be_torn,
                            bool *is_torn) {
    struct slice dict = text;
    *d = (struct huggingface_dict){.step = RECORD_NONE, .evaluation_ms = RECORD_NONE, .share = RECORD_NONE};
    d->stamp_ms = TIME_UNKNOWN;
    d->has_begin = text_after(text, "{'", &dict);
    *is_torn = !d->has_begin || !slice_contains(dict, "'epoch': ") || !slice_ends(slice_trim(dict), "}");
    if (*is_torn) {
        if (may_be_torn)
            parse_torn(d, text, dict);
        return d->is_step || d->is_evaluation;
    }
    d->is_step = slice_starts(dict, "loss': ") && slice_contains(dict, "'learning_rate': ");
    d->is_evaluation = slice_starts(dict, "eval_");
    if (d->is_evaluation)
        d->evaluation_ms = evaluation_ms(dict);
    return d->is_step || d->is_evaluation || slice_starts(dict, "train_runtime': ") || has_dict;
}

void huggingface_dict_visit(struct huggingface_dict *d, struct codec *c) {
    codec_time(c, &d->stamp_ms);
    codec_time(c, &d->step);
    codec_time(c, &d->evaluation_ms);
    codec_time(c, &d->share);
    codec_bool(c, &d->is_step);
    codec_bool(c, &d->is_evaluation);
}
