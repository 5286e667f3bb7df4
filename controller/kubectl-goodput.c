/* kubectl-goodput: kubectl plugin and stand-alone tool. */
#include "cli/cli.h"

int main(int argc, char **argv) {
    return cli_main(argc, argv);
}
