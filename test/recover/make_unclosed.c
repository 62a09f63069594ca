/*
 * make_unclosed NAME MODE NFILES [wait]: writes a container that is never closed. wait: the program
 * keeps its containers open, prints that, and does not end.
 */
#include "unclosed.h"

int main(int argc, char **argv)
{
    int done = argc > 3 && unclosed_write(argv[1], argv[2], atoi(argv[3]));

    if (done && argc > 4) {
        puts("waiting");
        fflush(stdout);
        pause();
    }
    _exit(!done);
}
