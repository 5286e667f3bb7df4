/* The published rows of model FLOPs utilization, from a model's shape to the log's figure. */
#include "base/file.h"
#include "base/mem.h"
#include "formulas/chips.h"
#include "formulas/flops.h"
#include "harness.h"
#include "ledger/evaluate.h"
#include "ledger/totals.h"

#include <math.h>
#include <stdlib.h>

static int64_t peak_of(const char *name) {
    const struct chip *chip = chip_find(slice_of(name));
    return chip ? chip->gflops[CHIP_BF16] : 0;
}

/* AI-Hypercomputer/tpu-recipes, training/trillium: shape and tokens/s/device give the TFLOP/s of the log to its third
 * decimal, and the published MFU. */
TEST(tpu_recipes) {
    static const struct {
        struct flops_shape shape;
        int64_t sequence;
        double tokens_per_s, tflops, mfu;
    } rows[] = {
        {{80, 8192, 64, 128, 8, 28672, 3, 32000}, 4096, 905.021, 402.274, 43.82},
        {{32, 4096, 32, 128, 8, 14336, 3, 128256}, 8192, 7207.336, 417.397, 45.47},
        {{96, 12288, 96, 128, 96, 49152, 2, 50304}, 2048, 357.580, 384.891, 41.93},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct flops_shape *s = &rows[i].shape;
        struct flops_model m = {flops_parameters(s), s->layers, s->heads, s->head_dim, rows[i].sequence, false};
        double gflops = flops_per_token(&m) * rows[i].tokens_per_s / 1e9;
        CHECK(fabs(gflops / 1e3 - rows[i].tflops) < 0.0006);
        CHECK(llabs(flops_utilization_ppm(gflops, peak_of("TPU v6e"), false) - (int64_t)(rows[i].mfu * 1e4)) <= 60);
        m.is_causal = true; /* half the attention, never the same number */
        CHECK(flops_per_token(&m) < 0.999 * gflops * 1e9 / rows[i].tokens_per_s);
    }
}

/* MaxText's document on its log lines: 764.67 TFLOP in 5.667 s on TPU v5p. */
TEST(maxtext_document) {
    CHECK(fabs(764.67 / 5.667 - 134.93) < 0.01 && fabs(764.67 / 5.667 - 134.924) < 0.012); /* computed; logged */
    CHECK(fabs(49152 / 5.667 - 8673.4) < 0.05 && fabs(49152 / 5.667 - 8672.758) < 0.7);
    CHECK_INT((flops_utilization_ppm(764.67 / 5.667 * 1e3, peak_of("TPU v5p"), false) + 50) / 100, 2940);
}

/* MaxText's README of autumn 2023: TFLOP/s/chip (printed whole) and MFU on TPU v5e. */
TEST(v5e_table) {
    static const double rows[][2] = {{120, 61.10}, {132, 66.86}, {118, 59.90}, {110, 56.06},
                                     {108, 54.65}, {119, 60.40}, {99, 50.18},  {91, 46.25}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK(fabs((double)flops_utilization_ppm(rows[i][0] * 1e3, peak_of("TPU v5e"), false) / 1e4 - rows[i][1]) <=
              0.26);
    CHECK(fabs(120 / 1.97 - 67.10) > 0.26); /* a misprint of 2023-10-24 */
}

/* v5p rows of the same family, and the two that contradict themselves. */
TEST(v5p_table) {
    static const double rows[][2] = {{323, 70.31}, {315, 68.68}, {315, 68.53}, {316, 68.82},
                                     {294, 63.99}, {297, 64.80}, {295, 64.27}, {304, 66.23}};
    static const double wrong[][2] = {{328, 67.76}, {249, 64.05}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK(fabs((double)flops_utilization_ppm(rows[i][0] * 1e3, peak_of("TPU v5p"), false) / 1e4 - rows[i][1]) <=
              0.12);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(fabs((double)flops_utilization_ppm(wrong[i][0] * 1e3, peak_of("TPU v5p"), false) / 1e4 - wrong[i][1]) >
              3);
}

/* v4 rows of the same family (peak 275); printed TFLOP are whole numbers. */
TEST(v4_table) {
    static const double rows[][2] = {{156, 56.7}, {152, 55.2}, {149, 54.3}, {146, 53.2}, {154, 56.0}, {162, 58.9}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK(fabs((double)flops_utilization_ppm(rows[i][0] * 1e3, peak_of("TPU v4"), false) / 1e4 - rows[i][1]) <=
              0.13);
}

/* MaxText's reference tiers: the same rows as its recipes, by another document; and Llama2-70B on v5p. */
TEST(maxtext_tiers) {
    CHECK(fabs((double)flops_utilization_ppm(402.274e3, peak_of("TPU v6e"), false) / 1e4 - 43.8) < 0.05);
    CHECK(fabs((double)flops_utilization_ppm(417.397e3, peak_of("TPU v6e"), false) / 1e4 - 45.46) < 0.02);
    CHECK(fabs((double)flops_utilization_ppm(0.654 * 459e3, peak_of("TPU v5p"), false) / 1e4 - 65.4) < 1e-3);
}

/* The largest job: 50,944 chips x 197 TFLOP/s = 10 EFLOP/s, and 5.32 EOP/s observed in int8 are 53.0 % EMFU. */
TEST(the_50944_chip_job) {
    const struct chip *v5e = chip_find(slice_of("tpu v5e"));
    REQUIRE(v5e != NULL);
    CHECK_INT((int64_t)(50944.0 * (double)v5e->gflops[CHIP_BF16] / 1e6), 10035); /* PFLOP/s */
    CHECK_INT((int64_t)(50944.0 * (double)v5e->gflops[CHIP_INT8] / 1e6), 20071);
    double gops = 5.32e9 / 50944;
    CHECK(fabs(gops / 1e3 - 104.43) < 0.005);
    CHECK_INT((flops_utilization_ppm(gops, v5e->gflops[CHIP_BF16], true) + 500) / 1000, 530);
}

TEST(impossible_utilization_is_reported) {
    CHECK_INT(flops_utilization_ppm(250e3, 197000, false), -1);
    CHECK_INT(flops_utilization_ppm(250e3, 197000, true), 1269036);
    CHECK_INT(flops_utilization_ppm(-1, 197000, false), -1);
    CHECK_INT(flops_utilization_ppm(NAN, 197000, false), -1);
    CHECK_INT(flops_utilization_ppm(100, 0, false), -1);
    CHECK_INT(flops_utilization_ppm(0, 197000, false), 0);
}

TEST(chips_by_label) {
    const struct chip *c = chip_of_label(SLICE("cloud.google.com/gke-tpu-accelerator"), SLICE("tpu-v5-lite-podslice"));
    REQUIRE(c != NULL);
    CHECK_TEXT(c->name, "TPU v5e");
    c = chip_of_label(SLICE("nvidia.com/gpu.product"), SLICE("NVIDIA-H100-80GB-HBM3-SHARED"));
    REQUIRE(c != NULL);
    CHECK_TEXT(c->name, "H100 SXM");
    CHECK(chip_of_label(SLICE("nvidia.com/gpu.product"), SLICE("NVIDIA-H1")) == NULL);
    CHECK(chip_of_label(SLICE("nvidia.com/gpu.product"), SLICE("")) == NULL);
    CHECK(chip_of_label(SLICE("cloud.google.com/gke-accelerator"), SLICE("tpu-v5-lite-podslice")) == NULL);
    CHECK_INT(chip_find(SLICE("TPU7x"))->devices, 2);
}

TEST(chips_counted_by_labels) {
    CHECK_INT(chip_count_of_label(SLICE("cloud.google.com/gke-accelerator-count"), SLICE("8")), 8);
    CHECK_INT(chip_count_of_label(SLICE("nvidia.com/gpu.count"), SLICE("1024")), 1024);
    CHECK_INT(chip_count_of_label(SLICE("nvidia.com/gpu.count"), SLICE("1025")), 0);
    CHECK_INT(chip_count_of_label(SLICE("nvidia.com/gpu.count"), SLICE("8x")), 0);
    CHECK_INT(chip_count_of_label(SLICE("nvidia.com/gpu.count"), SLICE("")), 0);
    CHECK_INT(chip_count_of_label(SLICE("nvidia.com/gpu.replicas"), SLICE("8")), 0); /* shares */
    CHECK_INT(chip_count_of_label(SLICE("nvidia.com/gpu.present"), SLICE("1")), 0);
    CHECK(chip_is_node_label(SLICE("nvidia.com/gpu.present")) && !chip_is_node_label(SLICE("nvidia.com/gpu.presen")));
}

/* Takes the cell of a table's row: "| `text` | next |"; what is left starts with the next "|". */
static struct slice take_cell(struct slice *row) {
    struct slice cell;
    if (!slice_take_prefix(row, "| ") || !slice_take_until(row, '|', &cell))
        return SLICE("");
    *row = slice_range(row->data - 1, row->data + row->size_bytes);
    cell = slice_trim(cell);
    return slice_starts(cell, "`") ? slice_range(cell.data + 1, cell.data + cell.size_bytes - 1) : cell;
}

/* The tables of deploy/docs/reference/chips.md, which tests/check/reference.py compares with the code's. */
TEST(each_chip_and_label_of_the_page_is_found) {
    CLEANUP_FREE char *page = NULL;
    int chips = 0, labels = 0;
    REQUIRE(file_read("deploy/docs/reference/chips.md", 1 << 20, &page, NULL) >= 0);
    struct slice rest = slice_of(page), row;
    while (slice_take_line(&rest, &row)) {
        struct slice first = take_cell(&row), second = take_cell(&row), third = take_cell(&row);
        bool is_label = slice_contains(first, ".com/") && third.size_bytes > 0; /* a resource has two cells */
        const struct chip *chip = is_label ? chip_of_label(first, second) : chip_find(first);
        int64_t gflops = 0;
        if (is_label) {
            labels++;
            CHECK(chip != NULL && slice_is(third, chip->name));
        } else if (slice_take_int(&second, &gflops)) {
            chips++;
            CHECK(chip != NULL && gflops > 0 && chip->gflops[CHIP_BF16] == gflops && *chip->source);
        }
    }
    CHECK(chips > 15 && labels > 25);
}

TEST(peaks_can_be_overridden) {
    CLEANUP_ERROR struct error *err = NULL;
    const struct chip *v5e = chip_find(SLICE("TPU v5e"));
    CHECK_INT(chip_peak(v5e, CHIP_BF16, NULL), 197000);
    CHECK_INT(chip_peak(v5e, CHIP_BF16, "H200=5"), 197000);
    CHECK_INT(chip_peak(v5e, CHIP_BF16, "H200=5,tpu v5e=200000"), 200000);
    CHECK_INT(chip_peak(v5e, CHIP_INT8, "TPU v5e=1"), 394000);
    CHECK_INT(chip_peak(v5e, CHIP_INT8, "TPU v5e/INT8=400000"), 400000);
    CHECK_INT(chip_peak(v5e, CHIP_BF16, "TPU v5e/INT8=400000"), 197000);
    CHECK_INT(chip_peak(v5e, CHIP_FP8, NULL), 0);
    CHECK_INT(chip_peak(chip_find(SLICE("H100 SXM")), CHIP_FP8, NULL), 1979000);
    CHECK_INT(chip_overrides_check("TPU v5e/INT8=4", &err), 0);
    CHECK_INT(chip_overrides_check("H200=5,tpu v5e=200000", &err), 0);
    CHECK_INT(chip_overrides_check("", &err), 0);
    static const char *const bad[] = {"H200", "H200=", "H200=-5",  "H200=0",     "H200=1x", "H2=5",
                                      "=5",   ",",     "H200=5,,", "H200/FP4=3", "H200/=3"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CLEANUP_ERROR struct error *why = NULL;
        CHECK(chip_overrides_check(bad[i], &why) < 0 && why != NULL);
    }
}

/* The classes of what logs say: what falls into one is between its least and the next one's. */
TEST(figures_of_logs_above_the_peak_are_left_out) {
    for (int class = 24; class < 224; class ++) {
        int64_t min = ledger_flops_min_milli(class), next = ledger_flops_min_milli(class + 1);
        CHECK(min > 0 && next > min && (double)next / (double)min < 1.13);
    }
    struct ledger_flops reported[] = {{.class = 0, .lines = 2, .steps = 20, .mflop = 4000},
                                      {.class = 200, .lines = 3, .steps = 3, .mflop = 9}};
    struct flops_log log = flops_of_log(reported, 2, 1000, false);
    CHECK_INT(log.lines, 5);
    CHECK_INT(log.rejected, 3);
    CHECK(fabs(log.gflop_per_step - 0.2) < 1e-12);
    CHECK_INT(flops_of_log(reported, 2, 0, false).rejected, 0); /* nobody knows the peak */
    CHECK(flops_of_log(reported, 0, 1000, false).gflop_per_step == 0);
}
