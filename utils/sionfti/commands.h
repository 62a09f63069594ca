/* What a command of sionfti is told. */
#ifndef UTILS_SIONFTI_COMMANDS_H
#define UTILS_SIONFTI_COMMANDS_H

struct fti_settings {
    int json;
    const char *output; /* -o, or NULL */
    int ckptid;         /* -c, or -1 */
};

/* A command: the operands behind its name. Returns a status to exit with. */
typedef int fti_command(const struct fti_settings *settings, int n, char **operands);
fti_command fti_dump, fti_check, fti_extract, fti_pack, fti_unpack, fti_rehash;

#endif
