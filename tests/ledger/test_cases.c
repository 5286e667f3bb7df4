/* Cases as data: add one to tests/data/ledger without writing C. */
#include "case_file.h"
#include "harness.h"

TEST(library_edge_cases) {
    case_file_run("tests/data/ledger/library-edge-cases.txt");
}
TEST(objects) {
    case_file_run("tests/data/ledger/objects.txt");
}
TEST(interruptions) {
    case_file_run("tests/data/ledger/interruptions.txt");
}
TEST(steps) {
    case_file_run("tests/data/ledger/steps.txt");
}
TEST(checkpoints) {
    case_file_run("tests/data/ledger/checkpoints.txt");
}
