/* make_fti MIB: Ckpt1-Rank0.fti, a checkpoint of one variable of this size, in the working folder.
 * */
#include <stdlib.h>
#include <string.h>

#include "codes.h"
#include "sion_ftiff.h"

int main(int argc, char **argv)
{
    size_t bytes = argc == 2 ? (size_t)atoi(argv[1]) << 20 : 0;
    char *data = malloc(bytes);
    sion_ftiff *handle = sion_ftiff_open("Ckpt1-Rank0.fti");
    int bad = !data || !handle || bytes == 0;

    if (!bad) {
        memset(data, 7, bytes);
        bad = code_of(sion_ftiff_protect(handle, 1, data, (sion_int64)bytes)) != 0 ||
              code_of(sion_ftiff_checkpoint(handle, 1)) != 0;
    }
    sion_ftiff_close(handle);
    free(data);
    return bad;
}
