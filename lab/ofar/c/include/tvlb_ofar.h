/* Routing at every hop (OFAR) on one Dragonfly switch, for C: besides what tvlb.h has.
 *
 * The library libtvlb_ofar_c.a has all functions of tvlb.h and of this header. A program links it in the
 * place of libtvlb_firmware_c.a, and not beside it. What tvlb.h says of pointers, threads, work and linking
 * holds here, too.
 */
#ifndef TVLB_OFAR_H
#define TVLB_OFAR_H

#include "tvlb.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Error codes besides those of tvlb.h. */
#define TVLB_ESCAPE_IMAGE 20    /* the bytes are not an escape image, or it is of another fabric */
#define TVLB_NOT_FOR_OFAR 21    /* packets cannot decide at every hop on this fabric: see tvlb_boot_ofar */
#define TVLB_NOT_PER_HOP 22     /* the header's two lowest bits are not 3: its path was decided */
#define TVLB_PER_HOP_FLAGS 23   /* the two lowest bits are 3, but no switch writes such a header */

/* Routing at every hop (OFAR). Packets of this kind are not routed by tvlb_admit and tvlb_forward: each
 * switch is asked, for the packet at the head of a buffer, what that packet wants of the outputs there and
 * then. An escape network over all switches, on one virtual channel more than the packets use otherwise,
 * keeps them from waiting for each other for ever. docs/explanation/ofar.md has the rules, and
 * docs/reference/escape.md says how escape images are made.
 *
 *     tvlb_boot_ofar      once, from a booted switch and the escape image, which is the same for all switches
 *     tvlb_launch         the header of a packet that a node sends
 *     tvlb_may_inject     whether nodes may send now
 *     tvlb_ask            again and again, until the packet is delivered or sent
 */

/* The memory of a switch that decides at every hop. What is said of tvlb_switch holds for it, too. */
#define TVLB_OFAR_SIZE 1280
typedef struct tvlb_ofar {
    uint64_t opaque[TVLB_OFAR_SIZE / 8];
} tvlb_ofar;

/* What a packet asks for. */
#define TVLB_WAIT 0    /* nothing yet: it asks again when outputs have changed */
#define TVLB_DELIVER 1 /* to be delivered to the node at `port` */
#define TVLB_SEND 2    /* to be sent, once the link is free and the channel has room for `room` packets */

typedef struct tvlb_asked {
    uint64_t header;         /* the header to send it with; 0 if it is not sent */
    uint16_t port;           /* the physical port; 0 if it waits */
    uint16_t room;           /* for how many packets the channel must have room; 0 if it is not sent */
    uint8_t what;            /* TVLB_WAIT, TVLB_DELIVER or TVLB_SEND */
    uint8_t virtual_channel; /* the virtual channel on the link at that port; 0 if it is not sent */
} tvlb_asked;

/* What a switch sees of its outputs. Room is counted in packets, all of one length: a switch that counts
 * credits divides what is free by the packet's length. The arrays may change while a call reads them, as
 * the counters of tvlb_inputs may; each element is read whole. A port that is beyond the end of an array is
 * not ready and has no room. */
typedef struct tvlb_outputs {
    /* Ports that can take a packet now: nothing is being sent on the link, and one of its virtual channels
     * other than the escape network's has room for a packet. Port n is bit n % 32 of word n / 32. */
    const uint32_t *ready;
    /* Ports that were given to another packet earlier in this very cycle, in the same form. It is read only
     * if the escape image has the strict trigger. Null means none. */
    const uint32_t *granted;
    size_t words;             /* how many words `ready` has, and `granted` if it is not null */
    const uint16_t *room;     /* packets for which there is room: room[port * channels + virtual channel] */
    const uint16_t *capacity; /* packets that the buffer of one virtual channel holds, by port */
    size_t ports;             /* how many ports `room` and `capacity` have */
    size_t channels;          /* how many virtual channels `room` has for each port */
    tvlb_random random;       /* only tvlb_ask draws from it; for tvlb_may_inject it may be null */
    void *context;            /* given to `random` */
} tvlb_outputs;

/* The virtual channels that links need for packets that decide at every hop: those that the escape image
 * states and that of the escape network, which has the highest number. */
int32_t tvlb_ofar_channels_needed(const tvlb_switch *sw, const uint8_t *escape_image, size_t escape_len,
                                  uint8_t *local, uint8_t *global);

/* Boots a switch that decides at every hop, from a booted switch and an escape image of its fabric, over
 * links with so many virtual channels. It copies what it needs out of `sw`, which may be overwritten
 * afterwards. All images, those that `sw` was booted from and the escape image, must stay readable and
 * unchanged until `ofar`, and every copy of it, is booted again or used no more. If booting fails, what was
 * booted before goes on as it was.
 *
 * TVLB_ESCAPE_IMAGE if the image is damaged or is not of the fabric of `sw`. TVLB_NOT_FOR_OFAR if two
 * switches of a group do not share just one link, if two groups share none, or if something is dead.
 * TVLB_TOO_FEW_CHANNELS if the links have fewer channels than tvlb_ofar_channels_needed says. A fault image
 * that `sw` takes later does not reach `ofar`. */
int32_t tvlb_boot_ofar(tvlb_ofar *ofar, const tvlb_switch *sw, const uint8_t *escape_image,
                       size_t escape_len, uint8_t local_channels, uint8_t global_channels);

/* The checksum of the escape image. All switches of a fabric must have the same image, and so the same
 * checksum. */
int32_t tvlb_ofar_checksum(const tvlb_ofar *ofar, uint32_t *checksum);

/* The header of a packet that waits at this switch to be sent by one of its nodes to `node`. */
int32_t tvlb_launch(const tvlb_ofar *ofar, uint32_t node, uint64_t *header);

/* What the packet with this header asks for, at the head of a buffer of this switch. Nothing is remembered:
 * a packet that was not served asks again, and may then ask for something else. A call draws random words
 * only where it chooses between several outputs. A header of any bits is answered by an answer or a code. */
int32_t tvlb_ask(const tvlb_ofar *ofar, uint64_t header, const tvlb_outputs *outputs, tvlb_asked *asked);

/* Whether nodes of this switch may send now: 0 where the escape image has an injection control by use (ECM)
 * and all outputs of the escape network are used above its share, otherwise 1. */
int32_t tvlb_may_inject(const tvlb_ofar *ofar, const tvlb_outputs *outputs, uint8_t *may);

/* What is wrong with an escape image, in words, as tvlb_check_image says it of other images: with
 * error->code TVLB_ESCAPE_IMAGE, or TVLB_FABRIC_IMAGE where the fabric image is wrong. */
int32_t tvlb_check_escape_image(const uint8_t *fabric_image, size_t fabric_len, const uint8_t *image,
                                size_t image_len, tvlb_image_error *error);

/* The name of an error code of this header or of tvlb.h, for messages; never null. */
const char *tvlb_ofar_error_name(int32_t code);

#ifdef __cplusplus
}
#endif

#endif
