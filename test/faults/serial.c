/* Faults of serial writers and readers: a process with all tasks. */
#include "one_process.h"

enum { TASKS = 3 };

static const struct kind kinds[] = {
    {"serial, ansi", "bw,ansi", "br,ansi", ALONE, 1},
    {"serial, posix", "bw,posix", "br,posix", ALONE, 1},
    {"serial, recover", "bw,recover", "br", ALONE, 1},
    {"serial, posix and recover", "bw,posix,recover,sync=close", "br", ALONE, 1},
    {"serial, atomic", "bw,atomic", "br", ALONE, 1},
    {"serial, keys", "bw,keyval=inline", "br,keyval=inline", BY_KEY, 1},
    {"serial, keys and recover", "bw,keyval=inline,recover", "br,keyval=inline", BY_KEY, 1},
#ifdef WITH_CHECKSUM
    {"serial, checksum", "bw,checksum", "br,checksum", ALONE, 1},
    {"serial, checksum and recover", "bw,checksum,recover", "br,checksum", ALONE, 1},
#endif
};

static void product_run(void (*work)(struct worker *worker))
{
    struct worker worker = product_worker(0);

    work(&worker);
}

static int product_open(struct worker *worker, const char *mode)
{
    int n = TASKS, nfiles = 1, ranks[TASKS] = {0, 1, 2}, *r = ranks;
    sion_int64 sizes[TASKS] = {CHUNK, CHUNK, CHUNK}, *s = sizes;
    sion_int32 fsblksize = BLOCK;

    (void)worker;
    if (mode[1] == 'w')
        return sion_open(NAME, mode, &n, &nfiles, &s, &fsblksize, &r, NULL);
    return sion_open(NAME, mode, &n, &nfiles, NULL, NULL, NULL, NULL);
}

static int product_close(int sid)
{
    return sion_close(sid);
}

int main(int argc, char **argv)
{
    product_options(argc, argv);
    product.threads = 1;
    product.streams_each = TASKS;
    return product_of_kinds(kinds, sizeof kinds / sizeof kinds[0]);
}
