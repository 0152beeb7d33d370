/* Boots two switches of one group and routes packets from the first, until they leave it. */
#include "start.h"
#include "tvlb.h"

enum { MOST_PORTS = 64, CHANNELS = 5 };

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

/* The port that leads to the switch of this number; `ports` if none does. */
static uint16_t port_to(const tvlb_switch *sw, uint32_t ports, uint32_t number)
{
    uint16_t port = 0;
    uint32_t neighbour;
    while (port < ports &&
           (tvlb_neighbour(sw, port, &neighbour) != TVLB_OK || neighbour != number))
        port++;
    return port;
}

int run(void)
{
    static tvlb_switch source, second;
    /* By port and virtual channel. */
    static uint32_t credits[MOST_PORTS * CHANNELS];
    uint32_t seed = 1;

    /* The links have five and four virtual channels. */
    tvlb_setup setup = {fabric_image, (size_t)(fabric_end - fabric_image),
                        source_image, (size_t)(source_end - source_image),
                        TVLB_PAR,     TVLB_CONVENTIONAL,
                        CHANNELS,     4};
    int32_t code = tvlb_boot(&source, &setup);
    if (code != TVLB_OK)
        return failed("boot", code);
    setup.switch_image = second_image;
    setup.switch_length = (size_t)(second_end - second_image);
    code = tvlb_boot(&second, &setup);
    if (code != TVLB_OK)
        return failed("boot", code);

    /* What follows fits any two switches of one group; of booted ones nothing here can fail. */
    uint32_t ports = 0, nodes = 0, number = 0;
    tvlb_ports(&source, &ports);
    tvlb_node_count(&source, &nodes);
    tvlb_switch_number(&second, &number);
    if (ports > MOST_PORTS) {
        print("the switch has more ports than this program has counters\n");
        return 1;
    }
    uint16_t to_second = port_to(&source, ports, number);
    tvlb_inputs inputs = {credits, ports, next_random, &seed, NULL, CHANNELS};

    for (uint32_t node = 0; node < nodes; node += 7) {
        tvlb_step step;
        code = tvlb_admit(&source, node, TVLB_PAR, TVLB_CUSTOM, &inputs, &step);
        if (code != TVLB_OK)
            return failed("admit", code);
        print_step("switch 3:", &step);
        credits[step.port * CHANNELS + step.virtual_channel]++;
        if (step.deliver || step.port != to_second)
            continue;
        uint64_t header = step.header;
        code = tvlb_reconsider(&second, &header, TVLB_CUSTOM, &inputs);
        if (code == TVLB_OK)
            code = tvlb_look_onward(&second, &header, &inputs);
        if (code == TVLB_OK)
            code = tvlb_forward(&second, header, &step);
        if (code != TVLB_OK)
            return failed("forward", code);
        print_step("switch 4:", &step);
    }

    /* Errors are codes with names, and a failed boot leaves the switch as it was. */
    setup.local_channels = 4;
    code = tvlb_boot(&source, &setup);
    failed("four local channels", code);
    setup.switch_length = 7;
    code = tvlb_boot(&source, &setup);
    failed("a truncated image", code);
    tvlb_step step;
    return tvlb_admit(&source, nodes - 1, TVLB_MIN, TVLB_CUSTOM, &inputs, &step) != TVLB_OK;
}
