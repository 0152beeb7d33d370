/* Boots two switches of one group and routes packets from the first, until they leave it. */
#include "start.h"
#include "tvlb.h"

/* A switch has 4 + 7 + 4 ports; local port 4 + j of switch 3 leads to switch j, or to switch
 * j + 1 from j = 3 on, so this one leads to switch 4. */
enum { PORTS = 15, TO_SECOND = 7 };

static uint32_t next_random(void *context)
{
    uint32_t *state = context; /* xorshift (Marsaglia, 2003) */
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static int failed(const char *what, int32_t code)
{
    print(what);
    print(": ");
    print(tvlb_error_name(code));
    print("\n");
    return 1;
}

static void print_step(const char *what, const tvlb_step *step)
{
    print(what);
    print(step->deliver ? " deliver at port " : " send by port ");
    print_hex(step->port);
    print(" on virtual channel ");
    print_hex(step->virtual_channel);
    print(" header ");
    print_hex(step->header);
    print("\n");
}

int run(void)
{
    static tvlb_switch source, second;
    uint32_t seed = 1, credits[PORTS] = {0};
    tvlb_world world = {credits, PORTS, next_random, &seed};

    int32_t code = tvlb_boot(&source, fabric_image, (size_t)(fabric_end - fabric_image),
                             source_image, (size_t)(source_end - source_image), TVLB_PAR, 5, 4);
    if (code != TVLB_OK)
        return failed("boot", code);
    code = tvlb_boot(&second, fabric_image, (size_t)(fabric_end - fabric_image), second_image,
                     (size_t)(second_end - second_image), TVLB_PAR, 5, 4);
    if (code != TVLB_OK)
        return failed("boot", code);

    for (uint32_t node = 0; node < 288; node += 7) {
        tvlb_step step;
        code = tvlb_admit(&source, node, TVLB_PAR, TVLB_CUSTOM, &world, &step);
        if (code != TVLB_OK)
            return failed("admit", code);
        print_step("switch 3:", &step);
        credits[step.port]++;
        if (step.deliver || step.port != TO_SECOND)
            continue;
        uint64_t header = step.header;
        code = tvlb_reconsider(&second, &header, TVLB_CUSTOM, &world);
        if (code == TVLB_OK)
            code = tvlb_forward(&second, header, &step);
        if (code != TVLB_OK)
            return failed("forward", code);
        print_step("switch 4:", &step);
    }

    /* Errors are codes with names, and a failed boot leaves the switch as it was. */
    code = tvlb_boot(&source, fabric_image, 7, source_image, 7, TVLB_PAR, 5, 4);
    failed("a truncated image", code);
    code = tvlb_boot(&source, fabric_image, (size_t)(fabric_end - fabric_image), source_image,
                     (size_t)(source_end - source_image), TVLB_PAR, 4, 4);
    failed("four local channels", code);
    tvlb_step step;
    return tvlb_admit(&source, 287, TVLB_MIN, TVLB_CUSTOM, &world, &step) != TVLB_OK;
}
