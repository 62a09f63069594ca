/* What the command line of sionrun says. */
#ifndef UTILS_SIONRUN_SETTINGS_H
#define UTILS_SIONRUN_SETTINGS_H

/* The values of an option that can be given several times. */
struct texts {
    const char **text; /* [n], and NULL */
    int n;
};

struct settings {
    const char *output, *root, *stage;
    struct texts inputs, files, except, when;
    int signal; /* that makes a container while the program runs; 0: none */
    int by_node, checksum, recover, wait;
    int pack, list, discard, reduced, leave, drain, namespace;
};

#endif
