/* sionfti dump: the structure of checkpoints. */
#include <string.h>

#include "base/json.h"
#include "ftiff/records.h"
#include "lib/tool.h"
#include "sionfti/commands.h"
#include "sionfti/fail.h"
#include "sionfti/files.h"
#include "sionfti/items.h"

struct dump {
    int json;
    int count; /* printed so far */
};

/* A checkpoint that is printed; its digests are read on the way. */
struct digest_reader {
    const struct scion_fti_image *image;
    struct scion_fti_cursor cursor;
    int rc; /* of reading them: missing parts are printed as missing, so that the output is complete
             */
};

/* The digest of container i as text, or NULL. To be called for each in turn. */
static const char *next_hash(struct digest_reader *digest_reader, char text[SCION_FTI_HEX])
{
    struct scion_fti_record record;

    if (digest_reader->rc == 0)
        digest_reader->rc = scion_fti_cursor_next(&digest_reader->cursor, &record);
    if (digest_reader->rc != 0)
        return NULL;
    scion_fti_hex(record.hash, text);
    return text;
}

static const char *has_content(const struct digest_reader *digest_reader, int index)
{
    return digest_reader->image->flags[index] & SCION_FTI_CONTENT ? "true" : "false";
}

/* ---- the form of FTI's own description ---- */

static void print_var(struct digest_reader *digest_reader, int index, int number)
{
    const struct scion_fti_var *var = &digest_reader->image->vars[index];
    char text[SCION_FTI_HEX];
    const char *hash = next_hash(digest_reader, text);

    printf(" Var-id: %d\n id: %d\n", number, var->id);
    if (digest_reader->image->idx)
        printf(" idx: %d\n", digest_reader->image->idx[index]);
    printf(" containerid: %d\n hascontent: %s\n dptr: %lld\n fptr: %lld\n chunksize: %lld\n"
           " containersize: %lld\n [hash: %s]\n\n",
           var->containerid, has_content(digest_reader, index), var->dptr, var->fptr,
           var->chunksize, var->containersize, hash ? hash : "cannot be read");
}

static void print_block(struct digest_reader *digest_reader, int number)
{
    const struct scion_fti_image *image = digest_reader->image;
    int32_t numvars = scion_fti_numvars(image, number);
    int i;

    printf(" DataBase-id: %d\n numvars: %d\n dbsize: %lld\n [size metadata: %lld]\n\n", number,
           numvars, scion_fti_block_size(image, number),
           scion_fti_block_records(image->era, numvars));
    for (i = 0; i < numvars; i++)
        print_var(digest_reader, image->first[number] + i, i);
}

static void print_form(struct digest_reader *digest_reader)
{
    int b;

    printf("------------------- DATASTRUCTURE BEGIN -------------------\n\n");
    for (b = 0; b < digest_reader->image->nblocks; b++)
        print_block(digest_reader, b);
    printf("\n------------------- DATASTRUCTURE END ---------------------\n");
}

static void print_encoded(const struct scion_fti_parity *encoded)
{
    printf("------------------- DATASTRUCTURE BEGIN -------------------\n\n"
           " [Reed-Solomon bytes: %lld, not decoded]\n [checksum: %s]\n [rank file: %lld bytes]\n\n"
           "\n------------------- DATASTRUCTURE END ---------------------\n",
           encoded->bytes, encoded->fb.checksum, encoded->fb.ckptsize);
}

/* ---- JSON ---- */

static void json_fb(enum scion_fti_era era, const struct scion_fti_fb *fb)
{
    printf("\"fileblock\": {\"checksum\": \"%s\", ", fb->checksum);
    if (scion_fti_layout(era)->has_id)
        printf("\"ckptId\": %lld, \"metaSize\": %lld, \"dataSize\": %lld, ", fb->ckptid,
               fb->metasize, fb->datasize);
    printf("\"ckptSize\": %lld, \"fs\": %lld, \"maxFs\": %lld, \"ptFs\": %lld, "
           "\"timestamp\": %lld}",
           fb->ckptsize, fb->fs, fb->maxfs, fb->ptfs, fb->timestamp);
}

static const char *json_ckpt(const struct scion_fti_image *image, int index)
{
    if (image->era == SCION_FTI_A)
        return "";
    return image->flags[index] & SCION_FTI_CKPT ? ", \"hasCkpt\": true" : ", \"hasCkpt\": false";
}

static void json_var(struct digest_reader *digest_reader, int index)
{
    const struct scion_fti_var *var = &digest_reader->image->vars[index];
    char text[SCION_FTI_HEX];
    const char *hash = next_hash(digest_reader, text), *quote = hash ? "\"" : "";

    printf("        {\"id\": %d, ", var->id);
    if (digest_reader->image->idx)
        printf("\"idx\": %d, ", digest_reader->image->idx[index]);
    printf("\"containerid\": %d, \"hascontent\": %s, \"dptr\": %lld, \"fptr\": %lld, "
           "\"chunksize\": %lld, \"containersize\": %lld, \"hash\": %s%s%s%s}",
           var->containerid, has_content(digest_reader, index), var->dptr, var->fptr,
           var->chunksize, var->containersize, quote, hash ? hash : "null", quote,
           json_ckpt(digest_reader->image, index));
}

static void json_block(struct digest_reader *digest_reader, int number)
{
    const struct scion_fti_image *image = digest_reader->image;
    int32_t end = image->first[number + 1];
    int i;

    printf("%s\n      {\"dbsize\": %lld, \"metadata\": %lld, \"containers\": [\n",
           number > 0 ? "," : "", scion_fti_block_size(image, number),
           scion_fti_block_records(image->era, scion_fti_numvars(image, number)));
    for (i = image->first[number]; i < end; i++) {
        json_var(digest_reader, i);
        printf("%s", i + 1 < end ? ",\n" : "]}");
    }
}

static void json_begin(const struct fti_item *item, const char *kind, const char *release)
{
    printf("    {\"file\": ");
    scion_json_string(stdout, item->label);
    printf(", \"kind\": \"%s\", \"release\": \"%s\",\n     ", kind, release);
}

static void json_image(const struct fti_item *item, struct digest_reader *digest_reader)
{
    const struct scion_fti_image *image = digest_reader->image;
    int b;

    json_begin(item, "checkpoint", scion_fti_layout(image->era)->releases);
    json_fb(image->era, &image->fb);
    printf(",\n     \"blocks\": [");
    for (b = 0; b < image->nblocks; b++)
        json_block(digest_reader, b);
    printf("]}");
}

static void json_encoded(const struct fti_item *item, const struct scion_fti_parity *encoded)
{
    json_begin(item, "reed-solomon", fti_encoded_release(encoded));
    json_fb(encoded->era, &encoded->fb);
    printf(", \"bytes\": %lld}", encoded->bytes);
}

/* ---- files ---- */

/* Forms are separated by an empty line, objects by a comma. */
static void separate(struct dump *dump)
{
    if (dump->json)
        printf("%s", dump->count > 0 ? ",\n" : "\n");
    else if (dump->count > 0)
        printf("\n");
    dump->count++;
}

static int dump_encoded(struct dump *dump, const struct fti_item *item)
{
    struct scion_fti_parity encoded;

    if (fti_read_encoded(item, &encoded) != TOOL_RUN)
        return TOOL_FAILED;
    separate(dump);
    if (dump->json)
        json_encoded(item, &encoded);
    else
        print_encoded(&encoded);
    return TOOL_DONE;
}

static int dump_image(struct dump *dump, const struct fti_item *item,
                      const struct scion_fti_image *image)
{
    struct digest_reader digest_reader = {.image = image};

    scion_fti_cursor(&digest_reader.cursor, item->source, image);
    separate(dump);
    if (dump->json)
        json_image(item, &digest_reader);
    else
        print_form(&digest_reader);
    return digest_reader.rc == 0 ? TOOL_DONE : fti_failed(item->label);
}

static int dump_item(void *data, const struct fti_item *item)
{
    struct scion_fti_image image;
    int status;

    if (item->name.kind == SCION_FTI_ENCODED)
        return dump_encoded(data, item);
    if (fti_read_item(item, &image) != TOOL_RUN)
        return TOOL_FAILED;
    status = dump_image(data, item, &image);
    scion_fti_image_clear(&image);
    return status;
}

int fti_dump(const void *given, int n, char **operands)
{
    const struct fti_settings *settings = given;
    struct dump dump = {.json = settings->json};
    struct fti_files files;
    int status = fti_find_files(n, operands, -1, &files);

    if (status != TOOL_RUN)
        return status;
    if (dump.json)
        printf("{\"format\": \"sionfti-dump\", \"version\": 1, \"files\": [");
    status = fti_visit(&files, dump_item, &dump);
    if (dump.json)
        printf("]}\n");
    fti_free_files(&files);
    return status;
}
