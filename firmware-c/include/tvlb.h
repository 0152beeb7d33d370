/* The datapath of one Dragonfly switch, for C.
 *
 * No allocation, no operating system, no floating point; the library keeps nothing but the
 * caller's own `tvlb_switch`. Work per packet is bounded. Different switches may be used by
 * different threads at once, and so may one booted switch: no call but tvlb_boot changes it.
 *
 * Every function returns TVLB_OK or an error code and leaves its outputs alone unless it
 * succeeds. Pointers must not be null, and must be aligned for what they point to.
 *
 * To link, the library needs memcpy, memmove, memset and memcmp, as every compiler's code does.
 */
#ifndef TVLB_H
#define TVLB_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Error codes. A code never changes its meaning; tvlb_error_name has a name for each. */
#define TVLB_OK 0
#define TVLB_BAD_ARGUMENT 1     /* a null or misaligned pointer, or no such scheme or paths */
#define TVLB_NOT_BOOTED 2       /* the memory holds no booted switch */
#define TVLB_FABRIC_IMAGE 3     /* the fabric image is not one */
#define TVLB_SWITCH_IMAGE 4     /* the switch image is not one, or not of this fabric */
#define TVLB_TOO_FEW_CHANNELS 5 /* the links have fewer virtual channels than are needed */
#define TVLB_NO_SUCH_NODE 6     /* the fabric does not have the node */
#define TVLB_UNREACHABLE 7      /* no path leads to the node */
#define TVLB_HEADER_KIND 8      /* the header's kind is none */
#define TVLB_HEADER_RANGE 9     /* the header names what the fabric does not have */
#define TVLB_ASTRAY 10          /* the packet's route does not lead through this switch */
#define TVLB_NO_CABLE 11        /* the packet's route leaves by a port without a cable */
#define TVLB_NO_CHANNEL 12      /* the packet would need a channel that the links lack */
#define TVLB_NO_GLOBAL_VIEW 13  /* the scheme needs the queues along whole paths */
#define TVLB_OTHER 14           /* an error of a later version of the datapath */

/* How a source switch chooses between MIN and VLB paths. */
#define TVLB_MIN 0
#define TVLB_VLB 1
#define TVLB_UGAL_L 2
#define TVLB_PAR 3

/* Where VLB candidates come from: all triples, or the T-VLB set in the switch image. */
#define TVLB_CONVENTIONAL 0
#define TVLB_CUSTOM 1

/* What a source decision chose. */
#define TVLB_HERE 1         /* the node is on this switch */
#define TVLB_CHOSE_MIN 2
#define TVLB_CHOSE_VLB 3
#define TVLB_MIN_FOR_WANT 4 /* MIN, for want of a VLB path */
#define TVLB_VLB_FOR_WANT 5 /* VLB, for want of a MIN path */

/* The memory of one switch. Zero it, or boot into it, before any other use. What is in it is the
 * library's own; it may be neither copied nor moved to where it is used by another version. */
#define TVLB_SWITCH_SIZE 768
typedef struct tvlb_switch {
    uint64_t opaque[TVLB_SWITCH_SIZE / 8];
} tvlb_switch;

/* What a switch does with a packet. */
typedef struct tvlb_step {
    uint64_t header;         /* the header to send it with; 0 if it is delivered */
    uint16_t port;           /* the physical port: p terminals, a - 1 local ports, h global ones */
    uint8_t virtual_channel; /* the virtual channel on the link behind it; 0 if delivered */
    uint8_t deliver;         /* 1 if the port leads to the packet's node */
    uint8_t choice;          /* of tvlb_admit TVLB_HERE to TVLB_VLB_FOR_WANT, else 0 */
} tvlb_step;

/* 32 random bits at each call. */
typedef uint32_t (*tvlb_random)(void *context);

/* What a decision is made from. */
typedef struct tvlb_world {
    const uint32_t *credits; /* credits in use by physical port, over all virtual channels */
    size_t credit_count;     /* how many ports that is; those beyond count as idle */
    tvlb_random random;
    void *context;           /* given to `random` */
} tvlb_world;

/* Boots a switch from its two images, for packets that are routed by `scheme` over links with so
 * many virtual channels. The images must stay readable and unchanged until the switch is booted
 * again or used no more. If it fails, what was booted before goes on as it was: to replace tables
 * under traffic, boot into a second tvlb_switch and then use that one. Packets under way do not
 * depend on which is used. */
int32_t tvlb_boot(tvlb_switch *sw, const uint8_t *fabric_image, size_t fabric_len,
                  const uint8_t *switch_image, size_t switch_len, uint8_t scheme,
                  uint8_t local_channels, uint8_t global_channels);

/* Decides the path of a packet that a node of this switch sends to `node`, and its first step. */
int32_t tvlb_admit(const tvlb_switch *sw, uint32_t node, uint8_t scheme, uint8_t paths,
                   const tvlb_world *world, tvlb_step *step);

/* PAR's second look, at a packet's second switch before tvlb_forward: changes the header of a
 * packet that is still open to it, and no other. */
int32_t tvlb_reconsider(const tvlb_switch *sw, uint64_t *header, uint8_t paths,
                        const tvlb_world *world);

/* The next step of a packet that has come to this switch with this header. */
int32_t tvlb_forward(const tvlb_switch *sw, uint64_t header, tvlb_step *step);

/* The name of an error code, for messages; never null. */
const char *tvlb_error_name(int32_t code);

#ifdef __cplusplus
}
#endif

#endif /* TVLB_H */
