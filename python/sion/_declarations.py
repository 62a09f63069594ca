"""C declarations of what the package calls. The tests compare them with the public headers."""

TYPES = """
typedef long long sion_int64;
typedef int sion_int32;
typedef void sion_error_handler_t(int level, int rank, int rc, const char *text, void *user);
"""

# The tests compare their members by size and offset.
RECOVERY = """
typedef struct sion_recovery sion_recovery;
enum sion_recover_evidence {
    SION_RECOVER_CLOSED, SION_RECOVER_COMMITTED, SION_RECOVER_UPPER_BOUND
};
typedef struct {
    size_t size;
    int evidence, ntasks, nfiles, missing_files, keyval;
} sion_recover_info;
typedef struct {
    size_t size;
    sion_int64 globalrank;
    int file, lrank;
    sion_int64 bytes, certain, possible, lost;
} sion_recover_task;
"""

DRAIN = """
typedef struct sion_drain_progress {
    size_t size;
    int waiting, failed;
    sion_int64 drained, total;
    char failure[384];
} sion_drain_progress;
"""

SERIAL = """
int sion_open(char *fname, const char *file_mode, int *ntasks, int *nfiles, sion_int64 **chunksizes,
              sion_int32 *fsblksize, int **globalranks, FILE **fileptr);
int sion_close(int sid);

int sion_get_locations(int sid, int *ntasks, int *maxblocks, sion_int64 *globalskip,
                       sion_int64 *start_of_varheader, sion_int64 **chunksizes,
                       sion_int64 **globalranks, sion_int64 **blockcount, sion_int64 **blocksizes);
int sion_get_current_location(int sid, int *blknr, sion_int64 *pos_in_blk, int *maxchunks,
                              sion_int64 **chunksizes);
int sion_get_mapping(int sid, int *mapping_size, sion_int32 **mapping, int *numfiles);
int sion_get_file_endianness(int sid);
int sion_get_keyval_mode(int sid);
sion_int64 sion_get_position(int sid);
sion_int64 sion_get_bytes_written(int sid);
int sion_get_version(int *main_version, int *sub_version, int *patch_level, int *fileformat);

int sion_seek(int sid, int rank, int currentblocknr, sion_int64 posinblk);
int sion_flush(int sid);
int sion_publish(int sid);
sion_int64 sion_refresh(int sid);
int sion_get_generation(int sid, sion_int64 *generation, sion_int64 *forgotten);
sion_int64 sion_stream_write(int sid, const void *data, sion_int64 bytes);
sion_int64 sion_stream_read(int sid, void *data, sion_int64 bytes);
sion_int64 sion_stream_size(int sid);
sion_int64 sion_stream_sizes(int sid, int ntasks, const int *ranks, sion_int64 *starts);
sion_int64 sion_stream_read_tasks(int sid, int ntasks, const int *ranks, const sion_int64 *starts,
                                  void *data, sion_int64 bytes);

size_t sion_fwrite_key(const void *data, uint64_t key, size_t size, size_t nitems, int sid);
size_t sion_fread_key(void *data, uint64_t key, size_t size, size_t nitems, int sid);
int sion_fread_key_iterator_reset(int sid);
int sion_fread_key_iterator_next(int sid, uint64_t *key, size_t *size);
int sion_seek_key(int sid, uint64_t key, int entrynum, sion_int64 posinentry);
int sion_key_full_scan(int sid);

FILE *sion_get_fp(int sid);
int sion_dup(int sid, int mode, int rank, uint64_t key);
int sion_dedup(int sid);

size_t sion_coll_fwrite(const void *data, size_t size, size_t nitems, int sid);
size_t sion_coll_fread(void *data, size_t size, size_t nitems, int sid);

sion_recovery *sion_recover_open(const char *fname, int flags);
int sion_recover_get_info(const sion_recovery *recovery, sion_recover_info *info);
int sion_recover_get_task(const sion_recovery *recovery, int index, sion_recover_task *task);
int sion_recover_in_place(sion_recovery *recovery);
void sion_recover_close(sion_recovery *recovery);

int sion_drain_test(const char *fname);
int sion_drain_wait(const char *fname);
int sion_drain_get_progress(const char *fname, sion_drain_progress *progress);

int sion_error_code(void);
const char *sion_error_text(void);
void sion_error_set_handler(sion_error_handler_t *handler, void *user);
"""

# The tests compare the members of structures by size and offset, and the enumeration by value.
ARRAY_TYPES = """
enum sion_array_type {
    SION_I8 = 1, SION_U8, SION_I16, SION_U16, SION_I32, SION_U32, SION_I64, SION_U64, SION_F32,
    SION_F64, SION_C64, SION_C128
};
union sion_array_value {
    sion_int64 i;
    unsigned long long u;
    double f;
};
struct sion_array_info {
    size_t size;
    int type, ndims;
    sion_int64 shape[8];
    sion_int64 element_size, blocks, bytes, steps;
    int has_range;
    union sion_array_value low, high;
    sion_int64 stored;
    const char *codec;
};
struct sion_array_block {
    size_t size;
    sion_int64 step;
    int task;
    const char *file;
    sion_int64 position, bytes;
    int big_endian;
    sion_int64 offset[8], count[8];
    int has_range;
    union sion_array_value low, high;
    sion_int64 stored, stored_position;
    const char *codec;
};
typedef struct sion_array_reader sion_array_reader;
"""

ARRAYS = """
int sion_array_define(int sid, const char *name, int type, int ndims, const sion_int64 *shape);
int sion_array_put(int sid, const char *name, sion_int64 step, const sion_int64 *offset,
                   const sion_int64 *count, int type, const void *data, size_t bytes);
int sion_array_codec(int sid, const char *name, const char *codec);
int sion_array_set_attribute(int sid, const char *name, const char *key, const char *value);

sion_array_reader *sion_array_reader_open_mode(const char *file, const char *mode);
int sion_array_reader_count(const sion_array_reader *arrays);
const char *sion_array_reader_name(const sion_array_reader *arrays, int index);
int sion_array_reader_info(const sion_array_reader *arrays, const char *name, struct sion_array_info *info);
sion_int64 sion_array_reader_step(const sion_array_reader *arrays, const char *name, sion_int64 index);
const char *sion_array_reader_attribute(const sion_array_reader *arrays, const char *name, const char *key);
const char *sion_array_reader_key(const sion_array_reader *arrays, const char *name, int index);
int sion_array_reader_get_as(sion_array_reader *arrays, const char *name, sion_int64 step,
                    const sion_int64 *offset, const sion_int64 *count, int type, void *data,
                          size_t bytes);
sion_int64 sion_array_reader_blocks(sion_array_reader *arrays, const char *name, sion_int64 step,
                              sion_int64 first, sion_int64 n, struct sion_array_block *blocks);
void sion_array_reader_close(sion_array_reader *arrays);
"""

# Functions of the C library.
SYSTEM = """
int fileno(FILE *stream);
"""

MPI = """
int sion_paropen_mpi(const char *fname, const char *file_mode, int *numFiles, MPI_Comm gComm,
                     const MPI_Comm *lComm, sion_int64 *chunksize, sion_int32 *fsblksize,
                     int *globalrank, FILE **fileptr, char **newfname);
int sion_paropen_shared_mpi(const char *fname, const char *file_mode, MPI_Comm gComm, int by,
                            int *ntasks, int **ranks);
int sion_parclose_mpi(int sid);
"""

# Constants of sion_const.h, and of sion_array.h.
CURRENT_RANK = -101
CURRENT_BLK = -102
CURRENT_POS = -103
ABSOLUTE_POS = -104
DUP_RANK = -202
KEYVAL_INLINE = 51
ARRAY_NEWEST = -1
SHARE_TASKS = -301
SHARE_BYTES = -302
