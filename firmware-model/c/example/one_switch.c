/* One switch by itself: boots from its two images and decides the paths of six packets to the last
 * node of the fabric. */
#include "tvlb.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { MOST_PORTS = 64, CHANNELS = 8, MOST_BYTES = 1 << 20 };

static uint32_t next_random(void *context)
{
    uint32_t *state = context; /* xorshift (Marsaglia, 2003) */
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* Reads a file of at most MOST_BYTES. Returns its length, or 0 after a message. */
static size_t load(const char *path, uint8_t *bytes)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return 0;
    }
    size_t length = fread(bytes, 1, MOST_BYTES, file);
    if (ferror(file) || length == 0 || fgetc(file) != EOF) {
        fprintf(stderr, "%s: found no bytes, or more than the %d that fit\n", path, MOST_BYTES);
        length = 0;
    }
    fclose(file);
    return length;
}

static int failed(const char *call, int32_t code)
{
    fprintf(stderr, "%s: %s\n", call, tvlb_error_name(code));
    return 1;
}

int main(int count, char **arguments)
{
    static uint8_t fabric[MOST_BYTES], image[MOST_BYTES];
    /* In a switch the counters of the virtual channels of its ports. */
    static uint32_t credits[MOST_PORTS * CHANNELS];
    static tvlb_switch sw;
    if (count != 3) {
        fprintf(stderr, "give the files of the fabric image and of one switch image\n");
        return 2;
    }
    size_t fabric_length = load(arguments[1], fabric), length = load(arguments[2], image);
    if (fabric_length == 0 || length == 0)
        return 2;

    /* A switch boots with the virtual channels that its links have; here they have what is needed. */
    tvlb_setup setup = {fabric, fabric_length, image, length, TVLB_UGAL_L, TVLB_CONVENTIONAL, 0, 0};
    int32_t code = tvlb_channels_needed(&setup);
    if (code != TVLB_OK)
        return failed("tvlb_channels_needed", code);
    code = tvlb_boot(&sw, &setup);
    if (code != TVLB_OK)
        return failed("tvlb_boot", code);

    /* Of a booted switch neither can fail. */
    uint32_t ports = 0, nodes = 0;
    tvlb_ports(&sw, &ports);
    tvlb_node_count(&sw, &nodes);
    if (ports > MOST_PORTS) {
        fprintf(stderr, "the switch has %u ports, and this program has counters for %d\n",
                (unsigned)ports, MOST_PORTS);
        return 1;
    }

    uint32_t seed = 1;
    tvlb_inputs inputs = {credits, ports, next_random, &seed, NULL, CHANNELS};
    for (int packet = 0; packet < 6; packet++) {
        tvlb_step step;
        code = tvlb_admit(&sw, nodes - 1, TVLB_UGAL_L, TVLB_CUSTOM, &inputs, &step);
        if (code != TVLB_OK)
            return failed("tvlb_admit", code);
        if (step.deliver) {
            printf("deliver at port %d\n", step.port);
            continue;
        }
        credits[step.port * CHANNELS + step.virtual_channel]++;
        int vlb = step.choice == TVLB_CHOSE_VLB || step.choice == TVLB_VLB_FALLBACK;
        printf("%s: send by port %d on channel %d\n", vlb ? "VLB" : "MIN", step.port,
               step.virtual_channel);
    }
    return 0;
}
