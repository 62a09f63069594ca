/*
 * Preloaded by the stage "locale" of scripts/test.sh: programs below the folder TEST_LOCALE_BELOW,
 * and Python, start with the numbers of the locale TEST_LOCALE, as those of a user would that begin with
 * setlocale(LC_ALL, "").
 */
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_wanted(const char *folder)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);

    if (length < 0)
        return 0;
    path[length] = '\0';
    return strncmp(path, folder, strlen(folder)) == 0 || strstr(path, "/python3") != NULL;
}

__attribute__((constructor)) static void start(void)
{
    const char *name = getenv("TEST_LOCALE"), *folder = getenv("TEST_LOCALE_BELOW");

    if (name && folder && is_wanted(folder))
        setlocale(LC_NUMERIC, name);
}
