/* The record of a published state as bytes. */
#include "format/state.h"

#include "check.h"

static const struct scion_state sample = {.generation = 7,
                                          .time = 1234567890123456789,
                                          .bytes = 1LL << 40,
                                          .is_closed = 1,
                                          .old_maxchunks = 12,
                                          .old_start_of_varheader = 1LL << 33,
                                          .maxchunks = 77,
                                          .start_of_varheader = 1LL << 34,
                                          .floor = 99,
                                          .areas = {{1LL << 35, 4096}, {1LL << 36, 8192}}};

static void a_record_comes_back(void)
{
    unsigned char bytes[SCION_STATE_RECORD];
    struct scion_state state;

    scion_state_encode(&sample, bytes);
    CHECK(memcmp(bytes, "SIONPUB1", 8) == 0);
    CHECK(scion_state_is_head(bytes, sizeof bytes));
    CHECK_INT(scion_state_decode(bytes, sizeof bytes, 0, &state), 1);
    CHECK_INT(state.generation, sample.generation);
    CHECK_INT(state.time, sample.time);
    CHECK_INT(state.bytes, sample.bytes);
    CHECK_INT(state.is_closed, 1);
    CHECK_INT(state.old_maxchunks, sample.old_maxchunks);
    CHECK_INT(state.old_start_of_varheader, sample.old_start_of_varheader);
    CHECK_INT(state.maxchunks, sample.maxchunks);
    CHECK_INT(state.start_of_varheader, sample.start_of_varheader);
    CHECK_INT(state.floor, sample.floor);
    CHECK(memcmp(state.areas, sample.areas, sizeof state.areas) == 0);
}

static void any_other_byte_makes_it_none(void)
{
    unsigned char bytes[SCION_STATE_RECORD];
    struct scion_state state;
    size_t i;

    for (i = 0; i < sizeof bytes; i++) {
        scion_state_encode(&sample, bytes);
        bytes[i] ^= 1;
        CHECK_INT(scion_state_decode(bytes, sizeof bytes, 0, &state), 0);
    }
    scion_state_encode(&sample, bytes);
    CHECK_INT(scion_state_decode(bytes, sizeof bytes - 1, 0, &state), 0);
    CHECK_INT(scion_state_is_head(bytes, 7), 0);
    CHECK_INT(scion_state_decode(bytes, sizeof bytes, 1, &state), 0);
}

int main(void)
{
    RUN(a_record_comes_back);
    RUN(any_other_byte_makes_it_none);
    return check_done();
}
