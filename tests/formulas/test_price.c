/* Prices and money: the published example of a fleet's cost, and amounts that add up. */
#include "base/mem.h"
#include "formulas/price.h"
#include "harness.h"

/* 64 a4-highgpu-8g (512 chips) at $90.22 a node-hour, list price of August 2026: $5,774.08 an hour, $4,157,337.60 in
 * 30 days, and a percentage point of that is $41,573. */
TEST(the_published_cost_of_64_nodes) {
    int64_t price = price_parse(SLICE("11.2775")); /* 90.22 / 8 */
    char text[PRICE_TEXT_SIZE];
    const int64_t hour_ms = 512 * INT64_C(3600000);
    CHECK_INT(price, 11277500);
    CHECK_TEXT(price_cents_format(text, price_cents(hour_ms, price)), "5774.08");
    CHECK_TEXT(price_cents_format(text, price_cents(hour_ms * 720, price)), "4157337.60");
    CHECK_TEXT(price_cents_format(text, price_cents(hour_ms * 720 / 100, price)), "41573.38");
}

TEST(a_price_is_a_decimal_and_nothing_else) {
    static const struct {
        const char *text;
        int64_t price;
    } cases[] = {{"2.5", 2500000},
                 {"0", 0},
                 {"0.000001", 1},
                 {"1000000", 1000000000000},
                 {"1000000.000001", PRICE_BAD},
                 {"-1", PRICE_BAD},
                 {"+1", PRICE_BAD},
                 {"1e3", PRICE_BAD},
                 {"", PRICE_BAD},
                 {".5", PRICE_BAD},
                 {"1.2.3", PRICE_BAD},
                 {"nan", PRICE_BAD},
                 {"2,5", PRICE_BAD},
                 {"$2", PRICE_BAD}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        if (price_parse(slice_of(cases[i].text)) != cases[i].price)
            harness_fail(__FILE__, __LINE__, "\"%s\" gives %lld", cases[i].text,
                         (long long)price_parse(slice_of(cases[i].text)));
    char text[PRICE_TEXT_SIZE];
    CHECK_TEXT(price_format(text, 2500000), "2.5");
    CHECK_TEXT(price_format(text, 100000000), "100");
    CHECK_TEXT(price_format(text, 0), "0");
    CHECK_TEXT(price_format(text, 1), "0.000001");
}

TEST(a_list_of_prices_names_chips_and_all_others) {
    const char *list = "TPU v5e=1.2,H100 SXM=9.80,*=2.5";
    CLEANUP_ERROR struct error *none = NULL, *err = NULL, *unknown = NULL;
    CHECK_INT(price_list_check(list, &none), 0);
    CHECK_INT(price_of_chip(list, chip_find(SLICE("TPU v5e"))), 1200000);
    CHECK_INT(price_of_chip(list, chip_find(SLICE("H100 SXM"))), 9800000);
    CHECK_INT(price_of_chip(list, chip_find(SLICE("TPU v4"))), 2500000);
    CHECK_INT(price_of_chip(list, NULL), 2500000);
    CHECK_INT(price_of_chip("TPU v5e=1.2", NULL), PRICE_NONE);
    CHECK_INT(price_of_chip(NULL, NULL), PRICE_NONE);
    CHECK(price_list_check("TPU v5e=-3", &err) < 0);
    CHECK_TEXT(error_text(err),
               "\"TPU v5e=-3\" is not a list of CHIP=PRICE, such as \"TPU v5e=1.2,*=2.5\"; a price is a "
               "decimal from 0 to 1000000");
    CHECK(price_list_check("H999=3", &unknown) < 0);
}

TEST(hostile_amounts_do_not_overflow) {
    CHECK(price_cents(INT64_C(1) << 57, PRICE_MAX) > 0);
    CHECK_INT(price_cents(0, PRICE_MAX), 0);
}
