/* From the trainers' sources (tests/data/styles names them). */
#include "steplog/generic_words.h"

#include <limits.h>
#include <pthread.h>
#include <string.h>

static const struct word words[] = {
    /* sorted */
    {"_step", MEANS_COUNTER, 2},
    {"accuracy", MEANS_LOSS, 0},
    {"auc", MEANS_LOSS, 0},
    {"batch", MEANS_COUNTER, 4},
    {"batches", MEANS_COUNTER, 4},
    {"bpb", MEANS_LOSS, 0},
    {"cost", MEANS_TIME, 0},
    {"curr_step", MEANS_COUNTER, 1},
    {"current_iteration", MEANS_COUNTER, 1},
    {"current_step", MEANS_COUNTER, 1},
    {"current_steps", MEANS_COUNTER, 1},
    {"default", MEANS_RANK, 0},
    {"dt", MEANS_TIME, 0},
    {"duration", MEANS_TIME, 0},
    {"elapsed", MEANS_TIME, 0},
    {"ep.", MEANS_EPOCH, 0},
    {"epoch", MEANS_EPOCH, 0},
    {"epochs", MEANS_EPOCH, 0},
    {"eta", MEANS_TIME, 1},
    {"eval", MEANS_EVALUATION, 0},
    {"evaluate", MEANS_EVALUATION, 0},
    {"evaluating", MEANS_EVALUATION, 0},
    {"evaluation", MEANS_EVALUATION, 0},
    {"examples", MEANS_AMOUNT, 0},
    {"fps", MEANS_TIME, 1},
    {"global_step", MEANS_COUNTER, 1},
    {"global_steps", MEANS_COUNTER, 1},
    {"globalstep", MEANS_COUNTER, 1},
    {"gnorm", MEANS_LOSS, 0},
    {"grad_norm", MEANS_LOSS, 0},
    {"gradnorm", MEANS_LOSS, 0},
    {"ips", MEANS_TIME, 1},
    {"it", MEANS_COUNTER, 3},
    {"iter", MEANS_COUNTER, 3},
    {"iteration", MEANS_COUNTER, 2},
    {"iterations", MEANS_COUNTER, 2},
    {"iters", MEANS_COUNTER, 3},
    {"itr", MEANS_COUNTER, 3},
    {"kimg", MEANS_COUNTER, 3},
    {"learn", MEANS_TRAINING, 0},
    {"learning_rate", MEANS_LOSS, 0},
    {"logloss", MEANS_LOSS, 0},
    {"lr", MEANS_LOSS, 0},
    {"mfu", MEANS_LOSS, 0},
    {"mlogloss", MEANS_LOSS, 0},
    {"ms", MEANS_TIME, 0},
    {"n_updates", MEANS_COUNTER, 5},
    {"nll", MEANS_LOSS, 0},
    {"num_env_steps_sampled_lifetime", MEANS_COUNTER, 3},
    {"num_updates", MEANS_COUNTER, 1},
    {"opt_step", MEANS_COUNTER, 2},
    {"optimizer_step", MEANS_COUNTER, 2},
    {"perplexity", MEANS_LOSS, 0},
    {"ppl", MEANS_LOSS, 0},
    {"rank", MEANS_RANK, 0},
    {"rate", MEANS_TIME, 1},
    {"reward", MEANS_LOSS, 0},
    {"rewards", MEANS_LOSS, 0},
    {"rmse", MEANS_LOSS, 0},
    {"s", MEANS_TIME, 0},
    {"samples", MEANS_AMOUNT, 0},
    {"sec", MEANS_TIME, 0},
    {"seconds", MEANS_TIME, 0},
    {"secs", MEANS_TIME, 0},
    {"speed", MEANS_TIME, 1},
    {"step", MEANS_COUNTER, 2},
    {"step_i", MEANS_COUNTER, 1},
    {"steps", MEANS_COUNTER, 4},
    {"steptime", MEANS_TIME, 0},
    {"test", MEANS_EVALUATION, 0},
    {"throughput", MEANS_TIME, 1},
    {"tick", MEANS_COUNTER, 5},
    {"time", MEANS_TIME, 0},
    {"timing", MEANS_TIME, 0},
    {"tok", MEANS_AMOUNT, 0},
    {"tokens", MEANS_AMOUNT, 0},
    {"took", MEANS_TIME, 0},
    {"total_timesteps", MEANS_COUNTER, 3},
    {"tps", MEANS_TIME, 1},
    {"train", MEANS_TRAINING, 0},
    {"train_iter", MEANS_COUNTER, 1},
    {"train_step", MEANS_COUNTER, 1},
    {"trainer", MEANS_TRAINING, 0},
    {"training", MEANS_TRAINING, 0},
    {"training_iteration", MEANS_COUNTER, 1},
    {"training_step", MEANS_COUNTER, 1},
    {"up.", MEANS_COUNTER, 1},
    {"update", MEANS_COUNTER, 3},
    {"updates", MEANS_COUNTER, 3},
    {"val", MEANS_EVALUATION, 0},
    {"valid", MEANS_EVALUATION, 0},
    {"validating", MEANS_EVALUATION, 0},
    {"validation", MEANS_EVALUATION, 0},
    {"wps", MEANS_TIME, 1},
};

/* By their first letters, each from its first word to that of the next letter. */
static struct {
    unsigned char first['z' - '_' + 2], sizes[sizeof words / sizeof words[0]];
    uint32_t has_size['z' - '_' + 1]; /* a bit for each size of the letter's words */
} table;
static pthread_once_t is_loaded = PTHREAD_ONCE_INIT;

static void load(void) {
    size_t count = sizeof words / sizeof words[0], next = 0;
    _Static_assert(sizeof words / sizeof words[0] < UCHAR_MAX, "numbers of words");
    for (int letter = '_'; letter <= 'z' + 1; letter++) {
        while (next < count && words[next].text[0] < letter)
            next++;
        table.first[letter - '_'] = (unsigned char)next;
    }
    for (size_t i = 0; i < count; i++) {
        table.sizes[i] = (unsigned char)strlen(words[i].text);
        table.has_size[words[i].text[0] - '_'] |= UINT32_C(1) << table.sizes[i];
    }
}

const struct word *generic_word_find(struct slice word) {
    pthread_once(&is_loaded, load);
    if (word.size_bytes == 0 || word.data[0] < '_' || word.data[0] > 'z')
        return NULL;
    size_t letter = (size_t)(word.data[0] - '_');
    if (word.size_bytes >= sizeof words[0].text || (table.has_size[letter] >> word.size_bytes & 1) == 0)
        return NULL;
    const unsigned char *first = &table.first[letter];
    for (size_t i = first[0]; i < first[1]; i++)
        if (table.sizes[i] == word.size_bytes && memcmp(words[i].text, word.data, word.size_bytes) == 0)
            return &words[i];
    return NULL;
}
