/*
 * The library's environment variables. All names start with SION_; a build with renamed symbols
 * renames the variables too, so the prefix is put on here and nowhere else.
 */
#ifndef SCION_BASE_ENV_H
#define SCION_BASE_ENV_H

/* Value of SION_<name> without white space at its end, or NULL. Read anew at each call; what was
   returned stays. */
const char *scion_env(const char *name);

/* 1 and the value if SION_<name> is set to a decimal number, else 0, and *value stays. */
int scion_env_number(const char *name, long long *value);

#endif
