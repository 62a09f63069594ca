/*
 * peak FILE PROGRAM ARGUMENTS...: runs the program, writes its peak resident size in KiB to FILE,
 * and exits with its status.
 *
 * peak --reads: exits with 0 if this kernel counts pages of zeros that were only read, as newer
 * ones do.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static long peak_so_far(void)
{
    struct rusage usage;

    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : -1;
}

static int counts_reads(void)
{
    enum { BYTES = 1 << 26, PAGE = 4096 };
    long before = peak_so_far();
    volatile char *pages =
        mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int i, sum = 0;

    if (pages == MAP_FAILED)
        return 0;
    for (i = 0; i < BYTES; i += PAGE)
        sum += pages[i];
    return sum == 0 && peak_so_far() - before > BYTES / 2048;
}

int main(int argc, char **argv)
{
    struct rusage usage;
    int status;
    FILE *file;
    pid_t child;

    if (argc == 2 && strcmp(argv[1], "--reads") == 0)
        return !counts_reads();
    if (argc < 3)
        return 99;
    child = fork();
    if (child == 0) {
        execv(argv[2], argv + 2);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child || !WIFEXITED(status))
        return 99;
    file = fopen(argv[1], "w");
    if (!file || fprintf(file, "%ld\n", usage.ru_maxrss) < 0 || fclose(file) != 0)
        return 99;
    return WEXITSTATUS(status);
}
