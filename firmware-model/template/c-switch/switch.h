/* The routing of one switch: what goes into firmware. */
#ifndef SWITCH_H
#define SWITCH_H

#include "tvlb.h"

enum { MOST_PORTS = 64, CHANNELS = 5 };

/* One switch: its tables, its random numbers and its counters. */
struct routing {
    tvlb_switch sw;
    uint32_t ports;
    uint32_t random; /* never 0 */
    /* By port and virtual channel, flits sent whose buffer space has not come back. */
    uint32_t credits_in_use[MOST_PORTS * CHANNELS];
};

/* Boots from the two images, over links that have these virtual channels. */
int32_t routing_boot(struct routing *routing, const uint8_t *fabric, size_t fabric_length,
                     const uint8_t *image, size_t length, uint8_t local_channels, uint8_t global_channels);

/* A packet from a node of this switch: decides its path and takes the first step. */
int32_t routing_from_node(struct routing *routing, uint32_t node, tvlb_step *step);

/* A packet from another switch, with the header that it came with. */
int32_t routing_from_link(struct routing *routing, uint64_t header, tvlb_step *step);

#endif
