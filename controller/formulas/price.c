#include "formulas/price.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define UNIT 1000000
#define HOUR_MS 3600000

int64_t price_parse(struct slice text) {
    int64_t price;
    for (size_t i = 0; i < text.size_bytes; i++)
        if (strchr("0123456789.", text.data[i]) == NULL || text.data[i] == '\0')
            return PRICE_BAD;
    if (text.size_bytes == 0 || text.size_bytes >= PRICE_TEXT_SIZE || text.data[0] == '.' ||
        !slice_take_scaled(&text, 6, &price) || text.size_bytes > 0 || price > PRICE_MAX)
        return PRICE_BAD;
    return price;
}

const char *price_format(char out[static PRICE_TEXT_SIZE], int64_t price) {
    int size = snprintf(out, PRICE_TEXT_SIZE, "%lld.%06lld", (long long)(price / UNIT), (long long)(price % UNIT));
    while (out[size - 1] == '0' || out[size - 1] == '.') {
        bool is_whole = out[size - 1] == '.';
        out[--size] = '\0';
        if (is_whole)
            break;
    }
    return out;
}

bool price_is_currency(struct slice text) {
    for (size_t i = 0; i < text.size_bytes; i++)
        if (text.data[i] < 'A' || text.data[i] > 'Z')
            return false;
    return text.size_bytes == PRICE_CURRENCY_SIZE - 1;
}

int64_t price_of_chip(const char *list, const struct chip *chip) {
    struct slice rest = slice_of(list), name, value;
    int64_t any = PRICE_NONE;
    while (chip_list_next(&rest, &name, &value)) {
        if (slice_is(name, "*"))
            any = price_parse(value);
        else if (chip != NULL && chip_find(name) == chip)
            return price_parse(value);
    }
    return any;
}

int price_list_check(const char *list, struct error **err) {
    struct slice rest = slice_of(list), name, value;
    while (rest.size_bytes > 0) {
        struct slice from = rest;
        if (!chip_list_next(&rest, &name, &value) || price_parse(value) < 0)
            return error_set(
                err, EINVAL,
                "\"%.*s\" is not a list of CHIP=PRICE, such as \"TPU v5e=1.2,*=2.5\"; a price is a decimal "
                "from 0 to 1000000",
                SLICE_ARG(from));
        if (!slice_is(name, "*") && chip_find(name) == NULL)
            return error_set(err, EINVAL,
                             "unknown chip \"%.*s\": deploy/docs/reference/chips.md lists the names, * is any other",
                             SLICE_ARG(name));
    }
    return 0;
}

int64_t price_cents(int64_t chip_ms, int64_t price) {
    const __int128 per_cent = (__int128)HOUR_MS * (UNIT / 100);
    __int128 cents = ((__int128)chip_ms * price + per_cent / 2) / per_cent;
    return cents > INT64_MAX / 2 ? INT64_MAX / 2 : (int64_t)cents;
}

const char *price_cents_format(char out[static PRICE_TEXT_SIZE], int64_t cents) {
    snprintf(out, PRICE_TEXT_SIZE, "%lld.%02lld", (long long)(cents / 100), (long long)(cents % 100));
    return out;
}
