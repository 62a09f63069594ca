/*
 * Threads of a team, of which each is a task with a device: collective calls, and calls of several
 * threads at the same time. team DRIVER.
 */
#include "sion.h"

#include "device/devices.h"
#include "src/parallel/team_omp.h"

#define NAME "team.sion"

enum { THREADS = 4, BYTES = 700000, RECORDS = 3 };

static int byte_of(int thread, int record)
{
    return 1 + thread * RECORDS + record;
}

static int is_all(const unsigned char *bytes, int value)
{
    int i;

    for (i = 0; i < BYTES && bytes[i] == value; i++)
        ;
    return i == BYTES;
}

/* Every other task has its data on the host. */
static int is_on_device(int thread)
{
    return thread % 2 == 1;
}

static size_t write_one(int sid, int thread, int record, int is_collective, unsigned char *host,
                        void *device)
{
    const void *data = host;

    memset(host, byte_of(thread, record), BYTES);
    if (is_on_device(thread)) {
        fake.put(device, host, BYTES);
        data = device;
    }
    return is_collective ? sion_coll_fwrite(data, 1, BYTES, sid) : sion_fwrite(data, 1, BYTES, sid);
}

static size_t read_one(int sid, int thread, int is_collective, unsigned char *host, void *device)
{
    void *data = is_on_device(thread) ? device : host;
    size_t got;

    if (is_on_device(thread)) /* of another thread than the file's bytes */
        memset(host, 0, BYTES), fake.put(device, host, BYTES);
    got = is_collective ? sion_coll_fread(data, 1, BYTES, sid) : sion_fread(data, 1, BYTES, sid);
    if (is_on_device(thread))
        fake.get(host, device, BYTES);
    return got;
}

static int open_team(const char *mode, int thread)
{
    sion_int64 chunksize = RECORDS * BYTES;
    sion_int32 fsblksize = 4096;

    return sion_paropen_omp(NAME, mode, &chunksize, &fsblksize, &thread, NULL, NULL);
}

static void use_devices(const char *words, int is_collective)
{
    char writes[80], reads[80];

    snprintf(writes, sizeof writes, "bw%s", words);
    snprintf(reads, sizeof reads, "br%s", words);
#pragma omp parallel num_threads(THREADS)
    {
        int thread = omp_get_thread_num(), sid, i;
        unsigned char *host = malloc(BYTES);
        void *device;

#pragma omp critical(devices)
        {
            fake.use(thread % 3);
            device = fake.allocate(BYTES, FAKE_DEVICE, (thread + 1) % 3);
        }
        sid = open_team(writes, thread);
        for (i = 0; i < RECORDS; i++)
            EXPECT(write_one(sid, thread, i, is_collective, host, device) == BYTES);
        EXPECT(sion_parclose_omp(sid) == 1);
        sid = open_team(reads, thread);
        for (i = 0; i < RECORDS; i++) {
            EXPECT(read_one(sid, thread, is_collective, host, device) == BYTES);
            EXPECT(is_all(host, byte_of(thread, i)));
        }
        EXPECT(sion_parclose_omp(sid) == 1);
#pragma omp critical(devices)
        fake.free(device);
        free(host);
    }
    team_done();
    CHECK_INT(fake.counts()->live, 0);
}

static void each_by_itself(void)
{
    use_devices("", 0);
}

static void collectively(void)
{
    use_devices(",collective,collsize=2", 1);
}

static void collectively_merged(void)
{
    use_devices(",collective,cmerge,collsize=2", 1);
}

/* A task whose driver fails takes part, and tells it; nobody waits for it, and the others succeed.
 */
static void one_fails(void)
{
    size_t done[THREADS] = {0};

    support_catch();
#pragma omp parallel num_threads(THREADS)
    {
        int thread = omp_get_thread_num(), sid;
        unsigned char *host = calloc(1, BYTES);
        void *device;

#pragma omp critical(devices)
        {
            fake.use(0);
            device = fake.allocate(BYTES, FAKE_DEVICE, 0);
        }
        sid = open_team("bw,collective,collsize=4", thread);
#pragma omp barrier
#pragma omp master
        fake.fail_at(1);
#pragma omp barrier
        done[thread] = sion_coll_fwrite(thread == 1 ? device : host, 1, BYTES, sid);
        EXPECT(sion_parclose_omp(sid) == 1);
        free(host);
#pragma omp critical(devices)
        fake.free(device);
    }
    team_done();
    fake.fail_at(0);
    sion_error_set_handler(NULL, NULL);
    CHECK(done[0] == BYTES && done[1] == 0 && done[2] == BYTES && done[3] == BYTES);
    CHECK_INT(support_errors, 1);
    CHECK_CONTAINS(support_message, "an illegal memory access was encountered (700)");
    CHECK_INT(fake.counts()->live, 0);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 99;
    omp_set_dynamic(0);
    support_enter_folder();
    device_load(argv[1]);
    RUN(each_by_itself);
    RUN(collectively);
    RUN(collectively_merged);
    RUN(one_fails);
    support_leave_folder();
    return check_done();
}
