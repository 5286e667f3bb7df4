/* price: what chip time costs. Prices are per chip-hour, as integers in millionths of a unit of money; money is whole
 * hundredths, rounded once from exact integers. An unknown price is PRICE_NONE, never 0. Pure. */
#ifndef FORMULAS_PRICE_H
#define FORMULAS_PRICE_H

#include "base/error.h"
#include "base/slice.h"
#include "formulas/chips.h"

#define PRICE_NONE (-1)
#define PRICE_BAD (-2) /* the text is not a price */
#define PRICE_MAX INT64_C(1000000000000)
#define PRICE_TEXT_SIZE 32
#define PRICE_CURRENCY_SIZE 4 /* three letters, ISO 4217 */

/* "2.5": a decimal without sign or exponent, at most a million, to the millionth; else PRICE_BAD. */
int64_t price_parse(struct slice text);
/* Without needless digits: "2.5", "1.204". */
const char *price_format(char out[static PRICE_TEXT_SIZE], int64_t price);
bool price_is_currency(struct slice text);
/* What a list, "TPU v5e=1.2,*=2.5" (may be NULL), says of a chip (NULL: one that is not known); "*" is any other. */
int64_t price_of_chip(const char *list, const struct chip *chip);
/* -EINVAL with one line that names what cannot be used. */
int price_list_check(const char *list, struct error **err);

/* Hundredths of a unit of money for chips x ms, half up. */
int64_t price_cents(int64_t chip_ms, int64_t price);
/* "1234.50" */
const char *price_cents_format(char out[static PRICE_TEXT_SIZE], int64_t cents);

#endif
