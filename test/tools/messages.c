/*
 * messages PROGRAM ARGUMENTS...: runs the program, and prints the number of its writes to stderr
 * that did not end with a newline. Such lines of several processes are mixed up on one terminal.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Each write is a packet of a pipe with O_DIRECT, and each read takes one. */
static int torn_messages(int from)
{
    char packet[PIPE_BUF];
    ssize_t length;
    int torn = 0;

    while ((length = read(from, packet, sizeof packet)) > 0)
        torn += packet[length - 1] != '\n';
    return length < 0 ? -1 : torn;
}

int main(int argc, char **argv)
{
    int ends[2], torn, status;
    pid_t child;

    if (argc < 2 || pipe2(ends, O_DIRECT | O_CLOEXEC) != 0)
        return 99;
    child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        execv(argv[1], argv + 1);
        _exit(127);
    }
    close(ends[1]);
    torn = torn_messages(ends[0]);
    if (child < 0 || torn < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
        WEXITSTATUS(status) == 127)
        return 99;
    printf("%d\n", torn);
    return 0;
}
