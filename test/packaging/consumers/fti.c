#include <sion_ftiff.h>
int main(void)
{
    char data[10] = "saved";
    sion_ftiff *state = sion_ftiff_open("consumer.fti");
    int bad = !state || !sion_ftiff_protect(state, 1, data, 10) || !sion_ftiff_checkpoint(state, 1);

    sion_ftiff_close(state);
    return bad;
}
