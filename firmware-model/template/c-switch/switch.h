/* The routing of one switch: what goes into firmware. */
#ifndef SWITCH_H
#define SWITCH_H

#include "tvlb.h"

enum { MOST_PORTS = 64, CHANNELS = 5, WINDOWS = 256 };

/* One switch: its tables, its random numbers and its counters. */
struct routing {
    tvlb_switch sw;
    uint32_t ports;
    uint32_t random; /* never 0 */
    /* By port and virtual channel, flits sent whose buffer space has not come back. */
    uint32_t credits_in_use[MOST_PORTS * CHANNELS];
    /* By destination switch; with more switches than windows some share one. */
    tvlb_window windows[WINDOWS];
};

/* Boots from the two images, over links that have these virtual channels. */
int32_t routing_boot(struct routing *routing, const uint8_t *fabric, size_t fabric_length,
                     const uint8_t *image, size_t length, uint8_t local_channels, uint8_t global_channels);

/* Where packets are acknowledged: whether a packet to a node may set out, which then counts as under way. Otherwise it
 * is held, and asked for again after the next acknowledgement from there, the oldest packet first. Where no packet
 * is acknowledged, this, the next two calls and the windows go. */
int routing_may_set_out(struct routing *routing, uint32_t node);

/* A packet to this node has arrived, so many cycles after it set out. */
void routing_acknowledged(struct routing *routing, uint32_t node, uint32_t delay_cycles);

/* A packet to this node will not arrive: it is lost, or routing_from_node refused it. */
void routing_lost(struct routing *routing, uint32_t node);

/* A packet from a node of this switch: decides its path and takes the first step. */
int32_t routing_from_node(struct routing *routing, uint32_t node, tvlb_step *step);

/* A packet from another switch, with the header that it came with. */
int32_t routing_from_link(struct routing *routing, uint64_t header, tvlb_step *step);

#endif
