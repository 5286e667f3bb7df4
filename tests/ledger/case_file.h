/* case_file: reads the .txt files of tests/data/ledger, whose language tests/data/ledger/README.md describes. */
#ifndef TESTS_LEDGER_CASE_FILE_H
#define TESTS_LEDGER_CASE_FILE_H

/* Runs every case of the file: as written, in random orders with repeats, and at times in between. */
void case_file_run(const char *path);

#endif
