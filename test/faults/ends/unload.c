/* Unload the library whose name is the argument while a container is open: its data are written. */
#include <dlfcn.h>

#include "ends.h"
#include "sion_serial.h"

int main(int argc, char **argv)
{
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    __typeof__(sion_open) *open_container;
    __typeof__(sion_fwrite) *write;
    sion_int64 size = 20000, *chunksizes = &size;
    int rank = 0, *globalranks = &rank, ntasks = 1, nfiles = 1, sid;
    sion_int32 fsblksize = 4096;

    if (!library)
        return 1;
    *(void **)&open_container = dlsym(library, "sion_open");
    *(void **)&write = dlsym(library, "sion_fwrite");
    sid = open_container((char[]){"x.sion"}, "bw", &ntasks, &nfiles, &chunksizes, &fsblksize,
                         &globalranks, NULL);
    if (!write_records(sid, 0, write))
        return 2;
    dlclose(library);
    return has_letters("x.sion", 0, ALL) ? 0 : 3;
}
