#include "cli/commands/formats.h"

#include "base/mem.h"
#include "cli/render/output.h"
#include "cli/render/pick.h"
#include "cli/render/print.h"
#include "steplog/shipped.h"
#include "steplog/steplog.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_LINES = 4, NAME_WIDTH = 14 };

/* Lines from which Auto recognizes the format (tests/cli/test_formats.c). */
static const struct {
    const char *name, *trainer;
    const char *lines[MAX_LINES];
} examples[] = {
    {"Recorder",
     "the recorder of ml-goodput-measurement, JSON",
     {"{\"job_name\": \"run1\", \"step_count\": 12, \"step_start_time\": 1795227105.25}"}},
    {"MaxText",
     "MaxText",
     {"completed step: 11, seconds: 0.054, TFLOP/s/device: 0.304, Tokens/s/device: 9434.658, total_weights: 512, "
      "loss: 7.905"}},
    {"Megatron",
     "Megatron-LM, its last rank",
     {" [2026-11-21 02:28:06.282898] iteration       11/      40 | consumed samples:           88 | elapsed time per "
      "iteration (ms): 643.6 | learning rate: 1.000000E-03 | global batch size:     8 | lm loss: 7.326069E+00 |"}},
    {"NeMo",
     "NeMo 2, its last rank",
     {"Training epoch 0, iteration 100/17279 | lr: 8.982e-08 | global_batch_size: 64 | global_step: 100 | "
      "reduced_train_loss: 2.345 | train_step_timing in s: 1.234"}},
    {"TorchTitan",
     "torchtitan",
     {"[titan] 2026-11-21 02:23:05,598 - root - INFO - step: 11  loss:  7.75094  grad_norm:  0.8790  memory:  "
      "0.00GiB(0.00%)  tps: 121  tflops: 0.00  mfu: 0.00%"}},
    {"DeepSpeed",
     "DeepSpeed at log level INFO",
     {"[2026-11-21 02:21:47,130] [INFO] [logging.py:123:log_dist] [Rank 0] step=11, skipped=0, lr=[0.001], mom=[(0.9, "
      "0.999)]"}},
    {"HuggingFace",
     "the Trainer of transformers and TRL, with or without its bar",
     {"{'loss': '8.268', 'grad_norm': '4.914', 'learning_rate': '4.875e-05', 'epoch': '0.025'}",
      "\r  2%|▎         | 1/40 [00:01<00:45,  1.18s/it]\r          \r\r  2%|▎         | 1/40 [00:01<00:45,  "
      "1.18s/it]"}},
    {"Keras", "Keras with verbose=2, a line for each epoch", {"Epoch 3/4", "12/12 - 7s - 542ms/step - loss: 1.9249"}},
    {"Lightning",
     "Lightning and NeMo 1, their tqdm bar",
     {"GPU available: True (cuda), used: True",
      "Epoch 0: 100%|██████████| 20/20 [00:09<00:00,  2.20it/s, train_loss=6.100]"}},
    {"Generic", "any counter of steps next to a loss, a time or a rate", {"iter 11: loss 7.3261, time 643.61ms"}},
};

/* The first example of a step's line. */
static const char *example_of(const struct shipped *f) {
    for (int i = 0; i < f->format->count; i++) {
        const struct userformat_pattern *p = &f->format->patterns[i];
        if ((p->kind == RECORD_STEP_END || p->kind == RECORD_STEP_START) && p->example_count > 0)
            return p->examples[0].line;
    }
    return "";
}

json_t *formats_list(void) {
    json_t *list = json_array();
    for (int i = STEPLOG_AUTO + 1; i < STEPLOG_FORMAT_COUNT; i++)
        for (size_t k = 0; k < ARRAY_SIZE(examples); k++) {
            if (strcmp(examples[k].name, steplog_format_name((enum steplog_format)i)) != 0)
                continue;
            json_t *lines = json_array();
            for (int n = 0; n < MAX_LINES && examples[k].lines[n] != NULL; n++)
                json_array_append_new(lines, json_string(examples[k].lines[n]));
            json_array_append_new(list, json_pack("{s:s, s:s, s:o}", "name", examples[k].name, "trainer",
                                                  examples[k].trainer, "example", lines));
        }
    for (int i = 0; i < SHIPPED_COUNT; i++) {
        const struct shipped *f = shipped_get(i);
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:[s]}", "name", f->name, "trainer", f->trainer, "example", example_of(f)));
    }
    return list;
}

void formats_draw(const json_t *formats, const struct text_style *style, struct buf *out) {
    size_t i, k;
    json_t *format, *line;
    text_color(out, style, COLOR_BOLD);
    text_cell(out, "FORMAT", NAME_WIDTH, 1);
    buf_append_text(out, " READS, WITH AN EXAMPLE\n");
    text_color(out, style, COLOR_NONE);
    json_array_foreach(formats, i, format) {
        text_cell(out, pick_text(format, "name"), NAME_WIDTH, 1);
        buf_append_char(out, ' ');
        text_cell(out, pick_text(format, "trainer"), 0, 0);
        buf_append_char(out, '\n');
        json_array_foreach(pick(format, "example"), k, line) {
            text_repeat(out, " ", NAME_WIDTH + 1);
            const char *text = json_string_value(line), *last = strrchr(text, '\r'); /* a bar's last drawing */
            text_cell(out, last ? last + 1 : text, style->columns > 40 ? style->columns - NAME_WIDTH - 1 : 0, 0);
            buf_append_char(out, '\n');
        }
    }
    buf_append_char(out, '\n');
    text_wrap(
        out, style, 0, 0,
        "Auto, the default, tries all of them. Those in lower case are StepLogFormats that the chart ships. Regex "
        "and other StepLogFormats read any other log: see "
        "deploy/docs/how-to/custom-format.md.");
}

static void append_names(const json_t *formats, struct buf *out) {
    size_t i;
    json_t *format;
    json_array_foreach(formats, i, format) buf_format(out, "%s\n", pick_text(format, "name"));
}

int formats_command(const struct cli_options *options, struct error **err) {
    CLEANUP_BUF struct buf out;
    json_t *formats = formats_list(), *all = json_pack("{s:O}", "formats", formats);
    bool is_table = options->output == NULL, is_names = !is_table && strcmp(options->output, "name") == 0;
    buf_init(&out, (size_t)1 << 20);
    if (is_names)
        append_names(formats, &out);
    else if (is_table)
        formats_draw(formats, &options->style, &out);
    int r = is_names || is_table ? output_write(&out, err) : print_as(options->output, all, err);
    json_decref(all);
    json_decref(formats);
    return r;
}
