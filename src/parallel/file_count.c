/* How many physical files a container gets if the program leaves it to the library. */

#include "parallel/opening.h"
#include "vfs/path.h"
#include "vfs/storage.h"

enum {
    MOST_FILES = 1024, /* one for each writer */
    /* Of chunks in a file on a local file system: then a file of its own saves a writer more time
       than it costs to make (bench/run.sh --files). */
    FEWEST_BYTES = 1 << 20
};

static int at_most(sion_int64 wanted, int most)
{
    if (wanted > most)
        return most;
    return wanted < 1 ? 1 : (int)wanted;
}

int scion_files_for_writers(int files, int most)
{
    return at_most(files == SCION_FILES_WRITERS ? MOST_FILES : files, most);
}

/* Of sums that do not overflow: whole files, and bytes. */
void scion_share_chunk(sion_int64 chunksize, int n, sion_int64 shares[2])
{
    shares[0] += chunksize / FEWEST_BYTES < n ? chunksize / FEWEST_BYTES : n;
    shares[1] += chunksize % FEWEST_BYTES;
}

int scion_files_for_shares(const sion_int64 shares[2], int n)
{
    return at_most(shares[0] + shares[1] / FEWEST_BYTES, n);
}

static int files_for_chunks(const struct scion_request *requests, int n)
{
    sion_int64 shares[2] = {0};
    int i;

    for (i = 0; i < n; i++)
        scion_share_chunk(requests[i].chunksize, n, shares);
    return scion_files_for_shares(shares, n);
}

/*
 * Each local file lets one writer at a time allocate, so writers have files of their own if these
 * are not too small. On Lustre, a file is as wide as its stripes, and other storage is shared by
 * nodes.
 */
int scion_files_for_storage(const char *name)
{
    struct scion_storage storage;
    char folder[SCION_PATH];

    if (scion_path_folder(folder, name) != 0 || scion_storage_of(folder, &storage) != 0)
        return SCION_FILES_NODE;
    if (storage.is_local)
        return SCION_FILES_AUTO;
    return storage.kind == SCION_STORAGE_LUSTRE && storage.stripe_count > 0 ? storage.stripe_count
                                                                            : SCION_FILES_NODE;
}

/*
 * A process of several threads has all of them in one file: in MPI with OpenMP (a negative number),
 * it knows itself what the mode says, except by node.
 */
int scion_files_wanted(const struct scion_opening *opening, const struct scion_request *requests,
                       int n)
{
    const struct scion_request_head *head = &requests[0].head;
    int files = opening->args->mode.files, is_hybrid = head->number == -1;

    if (files == 0 || head->status & SCION_ASKS_SEAT || (head->number != 1 && !is_hybrid) ||
        (opening->args->threads > 1 && !is_hybrid))
        return 0;
    if (files == SCION_FILES_NODE || (files == SCION_FILES_AUTO && is_hybrid))
        return SCION_FILES_NODE;
    if (is_hybrid)
        return 0;
    if (files == SCION_FILES_AUTO)
        files = scion_files_for_storage(opening->args->name);
    if (files == SCION_FILES_NODE || files == SCION_FILES_AUTO)
        return files == SCION_FILES_NODE ? files : files_for_chunks(requests, n);
    return scion_files_for_writers(files, n);
}
