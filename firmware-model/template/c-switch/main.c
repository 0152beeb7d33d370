/* A bench for the routing on a workstation: two switches of one group and the packets between them. */
#include "switch.h"
#include <stdio.h>
#include <stdlib.h>

extern const uint8_t fabric_image[], fabric_end[], first_image[], first_end[], second_image[], second_end[];

/* The virtual channels that the links have. */
enum { LOCAL_CHANNELS = CHANNELS, GLOBAL_CHANNELS = 4 };

static void expect(const char *what, int32_t code)
{
    if (code == TVLB_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, tvlb_error_name(code));
    exit(1);
}

static void print_step(uint32_t number, const tvlb_step *step)
{
    if (step->deliver)
        printf("switch %u: deliver at port %u\n", (unsigned)number, step->port);
    else
        printf("switch %u: send by port %u on channel %u\n", (unsigned)number, step->port,
               step->virtual_channel);
}

int main(void)
{
    static struct routing first, second;
    uint32_t nodes = 0, here = 0, there = 0;
    if (tvlb_version() != TVLB_VERSION) {
        fprintf(stderr, "tvlb.h and the library are of different versions\n");
        return 1;
    }
    size_t fabric = (size_t)(fabric_end - fabric_image);
    expect("the first switch", routing_boot(&first, fabric_image, fabric, first_image,
                                            (size_t)(first_end - first_image), LOCAL_CHANNELS,
                                            GLOBAL_CHANNELS));
    expect("the second switch", routing_boot(&second, fabric_image, fabric, second_image,
                                             (size_t)(second_end - second_image), LOCAL_CHANNELS,
                                             GLOBAL_CHANNELS));
    tvlb_node_count(&first.sw, &nodes);
    tvlb_switch_number(&first.sw, &here);
    tvlb_switch_number(&second.sw, &there);

    for (uint32_t node = 0; node < nodes; node += 7) {
        tvlb_step step;
        uint32_t neighbour;
        if (!routing_may_set_out(&first, node)) {
            printf("switch %u: held\n", (unsigned)here);
            continue;
        }
        expect("a packet from a node", routing_from_node(&first, node, &step));
        print_step(here, &step);
        if (step.deliver)
            continue;
        uint32_t *credits = &first.credits_in_use[step.port * CHANNELS + step.virtual_channel];
        ++*credits;
        /* What goes to the other switch arrives there with its header. */
        if (tvlb_neighbour(&first.sw, step.port, &neighbour) == TVLB_OK && neighbour == there) {
            --*credits;
            expect("a packet from a link", routing_from_link(&second, step.header, &step));
            print_step(there, &step);
        }
    }
    return 0;
}
