/* The routing of one switch, without a C library: what goes into firmware. */
#include "switch.h"

static uint32_t next_random(void *context)
{
    uint32_t *state = context; /* xorshift (Marsaglia, 2003) */
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static tvlb_inputs inputs_of(struct routing *routing)
{
    return (tvlb_inputs){routing->credits_in_use, routing->ports, next_random, &routing->random, NULL,
                         CHANNELS};
}

int32_t routing_boot(struct routing *routing, const uint8_t *fabric, size_t fabric_length,
                     const uint8_t *image, size_t length, uint8_t local_channels, uint8_t global_channels)
{
    uint32_t number = 0;
    tvlb_setup setup = {fabric,   fabric_length,     image,          length,
                        TVLB_PAR, TVLB_CONVENTIONAL, local_channels, global_channels};
    int32_t code = tvlb_boot(&routing->sw, &setup);
    if (code != TVLB_OK)
        return code;
    /* Of a booted switch these cannot fail. */
    tvlb_ports(&routing->sw, &routing->ports);
    tvlb_switch_number(&routing->sw, &number);
    if (routing->ports > MOST_PORTS)
        return TVLB_OTHER;
    /* Each switch draws numbers of its own. */
    routing->random = 0x9e3779b9u * (number + 1) | 1;
    for (uint32_t counter = 0; counter < MOST_PORTS * CHANNELS; counter++)
        routing->credits_in_use[counter] = 0;
    for (uint32_t place = 0; place < WINDOWS; place++)
        routing->windows[place] = (tvlb_window){0, 0};
    return TVLB_OK;
}

/* The window to the switch of a node; none for the nodes of this switch, and for one that does not exist. */
static tvlb_window *window_to(struct routing *routing, uint32_t node)
{
    uint32_t here = 0, there = 0;
    tvlb_switch_number(&routing->sw, &here);
    if (tvlb_switch_of(&routing->sw, node, &there) != TVLB_OK || there == here)
        return NULL;
    return &routing->windows[there % WINDOWS];
}

int routing_may_set_out(struct routing *routing, uint32_t node)
{
    static const tvlb_window_limits limits = {150, 32}; /* cycles of mean delay, and packets under way */
    tvlb_window *window = window_to(routing, node);
    uint8_t may_set_out = 1;
    if (window != NULL)
        tvlb_window_admit(window, &limits, &may_set_out);
    return may_set_out;
}

void routing_acknowledged(struct routing *routing, uint32_t node, uint32_t delay_cycles)
{
    tvlb_window *window = window_to(routing, node);
    if (window != NULL)
        tvlb_window_acknowledge(window, delay_cycles);
}

void routing_lost(struct routing *routing, uint32_t node)
{
    tvlb_window *window = window_to(routing, node);
    if (window != NULL)
        tvlb_window_lose(window);
}

int32_t routing_from_node(struct routing *routing, uint32_t node, tvlb_step *step)
{
    tvlb_inputs inputs = inputs_of(routing);
    return tvlb_admit(&routing->sw, node, TVLB_PAR, TVLB_CUSTOM, &inputs, step);
}

int32_t routing_from_link(struct routing *routing, uint64_t header, tvlb_step *step)
{
    tvlb_inputs inputs = inputs_of(routing);
    /* PAR's second look changes the headers that are open to it, and no others. */
    int32_t code = tvlb_reconsider(&routing->sw, &header, TVLB_CUSTOM, &inputs);
    /* Where the image says so, a VLB packet leaves its intermediate group by the link that is cheapest by this switch's
     * queues, which its source could not see. All other headers stay as they are. */
    if (code == TVLB_OK)
        code = tvlb_look_onward(&routing->sw, &header, &inputs);
    return code != TVLB_OK ? code : tvlb_forward(&routing->sw, header, step);
}
