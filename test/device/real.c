/*
 * Data on real devices: real cuda|hip [brief]. Exits with 77, after a line with the reason, where
 * there is none. Writes and reads with memory of every kind on each device, and prints how fast
 * that is.
 */
#include "sion.h"

#include <dlfcn.h>
#include <time.h>

#include "api/serial.h"
#include "sion_stream.h"

enum { MIB = 1 << 20, MOST = 64 * MIB };

/* What the test itself needs of a driver. */
static struct {
    int (*init)(unsigned flags);
    int (*count)(int *devices);
    int (*use)(int device);
    int (*allocate)(void **data, size_t bytes);
    int (*allocate_managed)(void **data, size_t bytes, unsigned flags);
    int (*free)(void *data);
    int (*copy_in)(void *to, const void *from, size_t bytes);
    int (*copy_out)(void *to, const void *from, size_t bytes);
    int (*set_async)(void *data, unsigned char value, size_t bytes, void *stream);
} driver;

/* CUDA only */
static int (*get_device)(int *device, int number), (*retain)(void **context, int device),
    (*set_current)(void *context);

/* HIP only */
static int (*copy_of_hip)(void *to, const void *from, size_t bytes, int kind);
static int (*set_of_hip)(void *data, int value, size_t bytes, void *stream);

static void give_up(const char *reason)
{
    printf("%s\n", reason);
    exit(77);
}

static void find(void *library, const char *symbol, void *function)
{
    void *address = dlsym(library, symbol);

    if (!address)
        give_up(symbol);
    memcpy(function, &address, sizeof address);
}

static int use_of_cuda(int device)
{
    void *context;
    int number, rc = get_device(&number, device);

    if (rc == 0)
        rc = retain(&context, number);
    return rc == 0 ? set_current(context) : rc;
}

static int copy_in_of_hip(void *to, const void *from, size_t bytes)
{
    return copy_of_hip(to, from, bytes, 1);
}

static int copy_out_of_hip(void *to, const void *from, size_t bytes)
{
    return copy_of_hip(to, from, bytes, 2);
}

static int set_async_of_hip(void *data, unsigned char value, size_t bytes, void *stream)
{
    return set_of_hip(data, value, bytes, stream);
}

static void load_cuda(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);

    if (!library)
        give_up(dlerror());
    find(library, "cuInit", &driver.init);
    find(library, "cuDeviceGetCount", &driver.count);
    find(library, "cuDeviceGet", &get_device);
    find(library, "cuDevicePrimaryCtxRetain", &retain);
    find(library, "cuCtxSetCurrent", &set_current);
    find(library, "cuMemAlloc_v2", &driver.allocate);
    find(library, "cuMemAllocManaged", &driver.allocate_managed);
    find(library, "cuMemFree_v2", &driver.free);
    find(library, "cuMemcpyHtoD_v2", &driver.copy_in);
    find(library, "cuMemcpyDtoH_v2", &driver.copy_out);
    find(library, "cuMemsetD8Async", &driver.set_async);
    driver.use = use_of_cuda;
}

static void load_hip(void)
{
    static const char *const names[] = {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6",
                                        "libamdhip64.so.5"};
    void *library = NULL;
    int i;

    for (i = 0; i < 4 && !library; i++)
        library = dlopen(names[i], RTLD_NOW);
    if (!library)
        give_up(dlerror());
    find(library, "hipInit", &driver.init);
    find(library, "hipGetDeviceCount", &driver.count);
    find(library, "hipSetDevice", &driver.use);
    find(library, "hipMalloc", &driver.allocate);
    find(library, "hipMallocManaged", &driver.allocate_managed);
    find(library, "hipFree", &driver.free);
    find(library, "hipMemcpy", &copy_of_hip);
    find(library, "hipMemsetAsync", &set_of_hip);
    driver.copy_in = copy_in_of_hip;
    driver.copy_out = copy_out_of_hip;
    driver.set_async = set_async_of_hip;
}

static unsigned char *pattern, *room;
static int device_now, is_brief;

static void *make(int is_managed, size_t bytes)
{
    enum { ATTACH_GLOBAL = 1 };
    void *data = NULL;

    CHECK_INT(is_managed ? driver.allocate_managed(&data, bytes, ATTACH_GLOBAL)
                         : driver.allocate(&data, bytes),
              0);
    return data;
}

static int create_one(const char *mode)
{
    sion_int64 chunksize = MOST;
    sion_int32 fsblksize = 4096;

    return create(mode, 1, &chunksize, &fsblksize);
}

/* ---- right ---- */

static void move_one(int is_managed, size_t bytes, const char *words)
{
    char mode[40], *data = make(is_managed, bytes);
    int sid;

    CHECK_INT(driver.copy_in(data, pattern, bytes), 0);
    snprintf(mode, sizeof mode, "bw%s", words);
    sid = create_one(mode);
    CHECK_INT(sion_fwrite(data, 1, bytes, sid), bytes);
    CHECK_INT(sion_close(sid), 1);
    CHECK_INT(driver.set_async(data, 0, bytes, NULL), 0); /* must not come after the read */
    snprintf(mode, sizeof mode, "br%s", words);
    sid = open_to_read(mode);
    CHECK_INT(sion_fread(data, 1, bytes, sid), bytes);
    sion_close(sid);
    CHECK_INT(driver.copy_out(room, data, bytes), 0);
    CHECK(memcmp(room, pattern, bytes) == 0);
    CHECK_INT(driver.set_async(data, 'k', bytes, NULL), 0); /* must come before the write */
    sid = create_one("bw");
    CHECK_INT(sion_stream_write(sid, data, (sion_int64)bytes), bytes);
    sion_close(sid);
    sid = open_to_read("br");
    CHECK_INT(sion_stream_read(sid, room, (sion_int64)bytes), bytes);
    sion_close(sid);
    CHECK(room[0] == 'k' && room[bytes - 1] == 'k');
    CHECK_INT(driver.free(data), 0);
}

static void memory_of_all_kinds(void)
{
    static const size_t sizes[] = {1, 1000, 300000, 5 * MIB + 3, MOST};
    int i, is_managed;

    for (is_managed = 0; is_managed < 2; is_managed++) {
        for (i = 0; i < (is_brief ? 4 : 5); i++) {
            move_one(is_managed, sizes[i], "");
            move_one(is_managed, sizes[i], ",posix");
        }
    }
}

/* The memory of another device than the thread's. */
static void memory_of_another_device(void)
{
    int devices, other;
    char *data;

    driver.count(&devices);
    if (devices < 2) {
        SKIP("one device only");
        return;
    }
    other = (device_now + 1) % devices;
    CHECK_INT(driver.use(other), 0);
    data = make(0, MIB);
    CHECK_INT(driver.copy_in(data, pattern, MIB), 0);
    CHECK_INT(driver.use(device_now), 0);
    {
        int sid = create_one("bw");

        CHECK_INT(sion_fwrite(data, 1, MIB, sid), MIB);
        sion_close(sid);
        sid = open_to_read("br");
        CHECK_INT(sion_fread(room, 1, MIB, sid), MIB);
        sion_close(sid);
    }
    CHECK(memcmp(room, pattern, MIB) == 0);
    driver.free(data);
}

/* ---- fast ---- */

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

enum way { HOST, DEVICE, COPIED };

static double seconds_of(enum way way, void *data, size_t bytes, int is_writing)
{
    double best = 1e9, begin;
    int i;

    for (i = 0; i < 5; i++) {
        int sid = is_writing ? create_one("bw,posix") : open_to_read("br,posix");
        void *memory = way == DEVICE ? data : room;

        begin = now();
        if (is_writing && way == COPIED)
            driver.copy_out(room, data, bytes);
        CHECK_INT(is_writing ? sion_fwrite(memory, 1, bytes, sid)
                             : sion_fread(memory, 1, bytes, sid),
                  bytes);
        if (!is_writing && way == COPIED)
            driver.copy_in(data, room, bytes);
        begin = now() - begin;
        best = begin < best ? begin : best;
        sion_close(sid);
    }
    return best;
}

static void print_rates(void)
{
    void *data = make(0, MOST);
    size_t bytes;

    printf("# device %d, MB/s, best of 5\n", device_now);
    printf("# %10s %5s %10s %10s %20s\n", "bytes", "", "host", "device", "copied by the program");
    for (bytes = 64 << 10; bytes <= MOST; bytes *= 4) {
        int is_writing;

        for (is_writing = 1; is_writing >= 0; is_writing--) {
            double rate[3];
            int way;

            for (way = 0; way < 3; way++)
                rate[way] =
                    (double)bytes / seconds_of((enum way)way, data, bytes, is_writing) / 1e6;
            printf("# %10zu %5s %10.0f %10.0f %20.0f\n", bytes, is_writing ? "write" : "read",
                   rate[HOST], rate[DEVICE], rate[COPIED]);
        }
    }
    driver.free(data);
}

int main(int argc, char **argv)
{
    int devices = 0;
    size_t i;

    is_brief = argc == 3 && strcmp(argv[2], "brief") == 0;
    if (argc >= 2 && strcmp(argv[1], "cuda") == 0)
        load_cuda();
    else if (argc >= 2 && strcmp(argv[1], "hip") == 0)
        load_hip();
    else
        return 99;
    if (driver.init(0) != 0 || driver.count(&devices) != 0 || devices == 0)
        give_up("the driver finds no device");
    pattern = malloc(MOST);
    room = malloc(MOST);
    check_seed(34);
    for (i = 0; i < MOST; i++)
        pattern[i] = (unsigned char)check_random();
    support_enter_folder();
    for (device_now = 0; device_now < devices; device_now++) {
        CHECK_INT(driver.use(device_now), 0);
        RUN(memory_of_all_kinds);
        RUN(memory_of_another_device);
        if (!is_brief)
            RUN(print_rates);
    }
    support_leave_folder();
    return check_done();
}
