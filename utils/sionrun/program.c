/* Whether the calls of a program can be redirected by a library that is loaded before others. */
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lib/tool.h"
#include "sionrun/child.h"
#include "sionrun/preload.h"

enum { OWN_CLASS = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32, HEADERS = 64 };

#if UINTPTR_MAX > 0xffffffff
typedef Elf64_Ehdr elf_header;
typedef Elf64_Phdr elf_segment;
#else
typedef Elf32_Ehdr elf_header;
typedef Elf32_Phdr elf_segment;
#endif

static int can_run(const char *path)
{
    struct stat status;

    return scion_path_status(path, &status) == 0 && S_ISREG(status.st_mode) &&
           (status.st_mode & 0111);
}

/* The file that execvp() would run, into path[SCION_PATH]; 0: there is none. */
static int find(const char *program, char *path)
{
    const char *folders = getenv("PATH"), *end;
    char folder[SCION_PATH];

    if (strchr(program, '/') || !folders)
        return scion_path(path, NULL, program) == 0;
    for (;; folders = end + 1) {
        end = strchrnul(folders, ':');
        snprintf(folder, sizeof folder, "%.*s", (int)(end - folders), folders);
        if (scion_path(path, *folder ? folder : ".", program) == 0 && can_run(path))
            return 1;
        if (!*end)
            return 0;
    }
}

/* A linker other than the kernel loads it, which obeys LD_PRELOAD. */
static int has_interpreter(struct scion_file *file, const elf_header *head)
{
    elf_segment segment;
    int i;

    for (i = 0; i < head->e_phnum && i < HEADERS; i++) {
        sion_int64 at = (sion_int64)head->e_phoff + (sion_int64)i * head->e_phentsize;
        size_t got = 0;

        if (scion_file_read_some(file, &segment, sizeof segment, at, &got) == 0 &&
            got == sizeof segment && segment.p_type == PT_INTERP)
            return 1;
    }
    return 0;
}

/* NULL: nothing is. */
static const char *what_is_wrong(const char *path, struct scion_file *file, int has_namespace)
{
    elf_header head;
    size_t got = 0;
    struct stat status;

    if (scion_path_status(path, &status) == 0 && (status.st_mode & (S_ISUID | S_ISGID)))
        return "it runs with the rights of another user";
    if (has_namespace)
        return NULL;
    if (scion_file_read_some(file, &head, sizeof head, 0, &got) != 0 || got < sizeof head ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
        return NULL; /* a script; its interpreter is not looked at */
    if (head.e_ident[EI_CLASS] != OWN_CLASS)
        return "it is made for a processor of another size";
    return has_interpreter(file, &head) ? NULL : "it is linked statically";
}

int child_check(const char *program, int has_namespace)
{
    char path[SCION_PATH];
    struct scion_file *file;
    const char *wrong;

    if (!has_namespace && preload_find(path) != TOOL_RUN)
        return TOOL_FAILED;
    /* What cannot be found or read: execvp() says why. */
    if (!find(program, path) || scion_path_check_readable(path) != 0 ||
        scion_file_open(path, SCION_OPEN_READ, 0, &file) != 0)
        return TOOL_RUN;
    wrong = what_is_wrong(path, file, has_namespace);
    scion_file_close(file);
    if (!wrong)
        return TOOL_RUN;
    tool_error("the files of %s cannot be redirected: %s", program, wrong);
    return TOOL_FAILED;
}
