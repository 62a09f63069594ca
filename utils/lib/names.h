/* Many names of files: from a command line, or from a list in a file. */
#ifndef UTILS_LIB_NAMES_H
#define UTILS_LIB_NAMES_H

#include <stddef.h>

struct names {
    char **name; /* [count] */
    int count;
    char *text; /* all of them, if they were read: lines */
    size_t length;
    char **array; /* name, if it is ours */
};

/* Use names that belong to the caller. TOOL_RUN. */
int names_take(struct names *names, char **name, int count);

/* The two steps of it: the text, which has a NUL behind it, and the names in it. */
int names_load(struct names *names, const char *list);
int names_find(struct names *names, const char *list);

void names_free(struct names *names);

#endif
