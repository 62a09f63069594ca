/*
 * make_bomb KIND NAME: a file that takes a few KiB on the disk, but claims to have much more.
 *
 * data:   one task with a chunk of 8 TiB, all used; the file has 5 bytes of it
 * keys:   the same with key-value records
 * value:  the same with one record of key 7
 * tasks:  2^26 tasks, of which the file has nothing
 * chunks: two tasks, one with 2^23 empty chunks
 * open:   one task, never closed, with chunks of 512 bytes and a byte at 4 TiB
 */
#include "bomb.h"

int main(int argc, char **argv)
{
    if (argc != 3)
        return 1;
    bomb_file = open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (strcmp(argv[1], "data") == 0)
        bomb_data(SION_KEYVAL_NONE);
    else if (strcmp(argv[1], "keys") == 0)
        bomb_data(SION_KEYVAL_INLINE);
    else if (strcmp(argv[1], "value") == 0)
        bomb_value(7);
    else if (strcmp(argv[1], "tasks") == 0)
        bomb_tables(1 << 26, 1);
    else if (strcmp(argv[1], "chunks") == 0)
        bomb_chunks(1 << 23);
    else
        bomb_open(4LL << 40);
    return bomb_failed || close(bomb_file) != 0;
}
