/*
 * peak FILE PROGRAM ARGUMENTS...: runs the program, writes its peak resident size in KiB to FILE,
 * and exits with its status.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct rusage usage;
    int status;
    FILE *file;
    pid_t child;

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
