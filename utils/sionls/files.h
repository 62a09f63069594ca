/* sionls --files: the packed files of a container. */
#ifndef UTILS_SIONLS_FILES_H
#define UTILS_SIONLS_FILES_H

/* Their paths, or a line for each as of ls -l. TOOL_RUN, or TOOL_FAILED and a message. */
int files_list(char *name, int is_long);

/* The same as JSON; before: what stands before the container's object. */
int files_list_json(char *name, const char *before);

/* A path, for scripts as it is, on a terminal without what could control it. */
void files_print_path(const char *path);

#endif
