/* One switch by itself: boots from its two images and decides the paths of a few packets. */
#include "tvlb.h"
#include <stdio.h>

enum { PORTS = 7, MOST_BYTES = 1 << 16 };

static uint32_t next_random(void *context)
{
    uint32_t *state = context; /* xorshift (Marsaglia, 2003) */
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static size_t load(const char *path, uint8_t *bytes)
{
    FILE *file = fopen(path, "rb");
    size_t length = file ? fread(bytes, 1, MOST_BYTES, file) : 0;
    if (file)
        fclose(file);
    return length;
}

int main(int count, char **arguments)
{
    static uint8_t fabric[MOST_BYTES], image[MOST_BYTES];
    static tvlb_switch sw;
    uint32_t seed = 1, credits[PORTS] = {0};
    tvlb_world world = {credits, PORTS, next_random, &seed};
    if (count != 3)
        return 2;
    size_t fabric_length = load(arguments[1], fabric), image_length = load(arguments[2], image);
    int32_t code =
        tvlb_boot(&sw, fabric, fabric_length, image, image_length, TVLB_UGAL_L, 4, 3);
    for (int packet = 0; packet < 6 && code == TVLB_OK; packet++) {
        tvlb_step step;
        code = tvlb_admit(&sw, 70, TVLB_UGAL_L, TVLB_CUSTOM, &world, &step);
        if (code != TVLB_OK || step.deliver)
            continue;
        credits[step.port]++;
        printf("%s: send by port %d on channel %d\n", step.choice == TVLB_CHOSE_VLB ? "VLB" : "MIN",
               step.port, step.virtual_channel);
    }
    if (code != TVLB_OK)
        fprintf(stderr, "%s\n", tvlb_error_name(code));
    return code != TVLB_OK;
}
