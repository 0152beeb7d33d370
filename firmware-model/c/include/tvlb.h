/* The datapath of one Dragonfly switch, for C.
 *
 * No allocation, no operating system, no floating point. The library keeps nothing but the
 * caller's own `tvlb_switch`. Different switches may be used by different threads at
 * once, and so may one booted switch: no function but those that boot it and tvlb_install_faults
 * changes it.
 *
 * Every function that can fail returns TVLB_OK or an error code, and leaves its outputs alone
 * unless it succeeds. Pointers must not be null, of an image of no bytes neither, and must be aligned
 * for what they point to, unless the function says otherwise. A function checks a pointer before it looks at
 * what it leads to, and all of them before it writes anything, and returns TVLB_BAD_ARGUMENT if one is
 * wrong. The pointers within a tvlb_inputs are read before the others are checked.
 *
 * The work of a call is bounded for any images and headers, by the constants that firmware-model's
 * README.md names under "Work". So is the number of random words that tvlb_admit and
 * tvlb_reconsider draw. tvlb_forward draws no random words and has no loop. The same README.md has
 * the measured costs: instructions, stack and flash.
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

/* The version of this header. tvlb_version says that of the library: they should be equal. */
#define TVLB_VERSION_MAJOR 0
#define TVLB_VERSION_MINOR 2
#define TVLB_VERSION_PATCH 0
#define TVLB_VERSION (TVLB_VERSION_MAJOR << 16 | TVLB_VERSION_MINOR << 8 | TVLB_VERSION_PATCH)

/* Error codes. A code never changes its meaning; tvlb_error_name has a name for each, and docs/reference/embedding.md
 * says what becomes of the packet. */
#define TVLB_OK 0
#define TVLB_BAD_ARGUMENT 1     /* a null or misaligned pointer, or no such scheme, paths or port */
#define TVLB_NOT_BOOTED 2       /* the memory holds no booted switch */
#define TVLB_FABRIC_IMAGE 3     /* the bytes are not a fabric image */
#define TVLB_SWITCH_IMAGE 4     /* the bytes are not a switch image, or it is of another fabric */
#define TVLB_TOO_FEW_CHANNELS 5 /* the links have fewer virtual channels than are needed */
#define TVLB_NO_SUCH_NODE 6     /* the fabric does not have the node */
#define TVLB_UNREACHABLE 7      /* no path leads to the node */
#define TVLB_HEADER_KIND 8      /* the header's two lowest bits are 3: no path was decided */
#define TVLB_HEADER_RANGE 9     /* the header names what the fabric does not have */
#define TVLB_ASTRAY 10          /* the packet's route does not lead through this switch */
#define TVLB_NO_CABLE 11        /* the port has no cable to another switch */
#define TVLB_NO_CHANNEL 12      /* the packet would need a channel that the links lack */
#define TVLB_OTHER 14           /* an error that this version of the library has no code for */
#define TVLB_WRONG_SCHEME 15    /* the switch was not booted for it: see tvlb_boot */
#define TVLB_REPLACEMENT 16     /* packets under way could not go on with the other tables */
#define TVLB_FAULT_IMAGE 17     /* the bytes are not a fault image, or it belongs to another fabric */
#define TVLB_OLD_FAULTS 18      /* a fault image of this epoch or a later one is in use */
#define TVLB_NO_NUMBER 19       /* the switch image does not say the port's number */
/* 20 to 23 are those of tvlb_ofar.h. */
#define TVLB_SUMS_ONLY 24       /* the image counts the credits of single virtual channels: see tvlb_inputs */

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
#define TVLB_MIN_FALLBACK 4 /* MIN, because no VLB path was found */
#define TVLB_VLB_FALLBACK 5 /* VLB, because there is no MIN path */

/* The memory of one switch. Zero it, or boot into it, before any other use. Only the library reads
 * and writes what is in it. Within one program it may be copied and moved between calls. A program
 * that is linked with another version or build of the library must boot it again. */
#define TVLB_SWITCH_SIZE 1024
typedef struct tvlb_switch {
    uint64_t opaque[TVLB_SWITCH_SIZE / 8];
} tvlb_switch;

/* What a switch does with a packet. */
typedef struct tvlb_step {
    uint64_t header;         /* the header to send it with; 0 if it is delivered */
    uint16_t port;           /* the physical port: terminals, then local ports, then global ones */
    uint8_t virtual_channel; /* the virtual channel on the link at that port; 0 if delivered */
    uint8_t deliver;         /* 1 if the port leads to the packet's node */
    uint8_t choice;          /* after tvlb_admit TVLB_HERE to TVLB_VLB_FALLBACK, else 0 */
} tvlb_step;

/* 32 random bits at each call. It must return, and must not boot or overwrite the switch for which
 * it was called; it may change anything else, the header, step and counters of the call included. */
typedef uint32_t (*tvlb_random)(void *context);

/* What a decision is made from.
 *
 * `credits` has counters of the credits IN USE, which are the flits sent by a physical port whose buffer
 * space downstream has not been returned yet. Where `channels` is 0 there is one for each port, over all
 * its virtual channels. Otherwise there is one for each virtual channel of each port:
 * credits[port * channels + virtual channel]. An image can say that a decision counts the credits of single
 * channels (tvlb_weighing_of), and then it needs these; a call that has only sums is refused with
 * TVLB_SUMS_ONLY. A switch that knows only sums calls tvlb_sums_only after it has booted. Counters of other sizes,
 * at other distances or of free credits are those of tvlb_counters.
 * The counters may change while a call reads them, by hardware, by an interrupt or by an atomic
 * store of another thread. A call reads one for each candidate that it draws, each whole; where the decision
 * counts ports and counters are by channel, it reads all `channels` counters of the port.
 *
 * If the image gives the decision a gate, a call also reads the counter of its MIN candidate's port
 * once more, and the sum of the counters of all ports to other switches, which are those after the p
 * terminals. A program that keeps this sum running gives its address as `link_credits`, and a gate
 * on ports costs nothing. Otherwise `link_credits` is null, and the call adds the counters up. A decision
 * that counts single channels compares sums by channel: it does not read `link_credits` and always adds the
 * counters of its channels up. */
typedef struct tvlb_inputs {
    const uint32_t *credits; /* credits in use, by physical port */
    size_t credit_count;     /* how many ports that is; those beyond count as idle */
    tvlb_random random;      /* must not be null */
    void *context;           /* given to `random` */
    const uint32_t *link_credits; /* the sum of the credits of ports to other switches, or null */
    size_t channels;         /* how many counters each port has; 0 if one, over all its channels */
} tvlb_inputs;

/* What a switch boots from, and what it serves. */
typedef struct tvlb_setup {
    const uint8_t *fabric_image;
    size_t fabric_length;
    const uint8_t *switch_image;
    size_t switch_length;
    uint8_t scheme;          /* TVLB_MIN to TVLB_PAR: how its packets are routed */
    uint8_t paths;           /* TVLB_CONVENTIONAL, which serves both kinds of VLB paths, or TVLB_CUSTOM */
    uint8_t local_channels;  /* the virtual channels of its links within the group */
    uint8_t global_channels; /* and of its links to other groups */
} tvlb_setup;

/* Boots a switch from its two images, for packets that are routed by `scheme`, over links with at least as many
 * virtual channels as tvlb_channels_needed says. A switch serves the packets for which it was booted, and all
 * others for which these channels are enough, but TVLB_PAR's only if it was booted for TVLB_PAR. What it does not serve
 * the calls below refuse with TVLB_WRONG_SCHEME.
 *
 * The images must stay readable and unchanged until the switch, and every copy of it, is booted
 * again or used no more. If booting fails, what was booted before goes on as it was. To replace
 * tables under traffic, boot into a second tvlb_switch, ask tvlb_check_replacement, and then use
 * that one: packets under way go on by their headers, whichever of the two they meet.
 *
 * With TVLB_CUSTOM for `paths` the links may have fewer virtual channels; the switch then serves no
 * TVLB_CONVENTIONAL paths, but for TVLB_MIN. All switches of a fabric are booted alike. */
int32_t tvlb_boot(tvlb_switch *sw, const tvlb_setup *setup);

/* Takes a fault image, at boot or at any later moment: from now on that is dead which it says, and
 * nothing else. Paths over what is dead are no longer drawn. A packet under way whose next link is
 * dead gets TVLB_NO_CABLE from tvlb_forward, and is to be dropped; where the image only drains what it
 * lists, the packet goes on. A step that was decided before this call and is not taken yet may lead to what is dead:
 * such a packet is decided again, as if it had just come, from a node by tvlb_admit, from another switch with the header
 * with which it came. The same holds after other tables have taken the place of those in use.
 *
 * The image must stay readable and unchanged until the switch, and every copy of it, has taken
 * another, is booted again or used no more. TVLB_OLD_FAULTS if an image of this epoch or a later one is
 * in use, also if it is this very image; TVLB_TOO_FEW_CHANNELS if the switch serves TVLB_MIN on the channels
 * of direct paths alone, since packets would have to go around what is dead; whatever the error, what was in
 * use goes on. Nobody else may use the switch during the call: a program with
 * several threads copies the switch, lets the copy take the image, and then uses the copy. A switch
 * that is booted again, for other tables, has to take the image again. */
int32_t tvlb_install_faults(tvlb_switch *sw, const uint8_t *fault_image, size_t fault_len);

/* Says that this switch knows its credits as sums over the virtual channels of a port, and no others: at
 * boot, so that it finds out then and not at a packet. TVLB_SUMS_ONLY if the image counts the credits of
 * single channels; the switch stays as it was. Otherwise tvlb_check_replacement refuses such an image from now
 * on. Nobody else may use the switch during the call. */
int32_t tvlb_sums_only(tvlb_switch *sw);

/* Decides the path of a packet that a node of this switch sends to `node`, and its first step. A
 * packet to another switch, of a scheme or on VLB paths that this switch does not serve, is refused with
 * TVLB_WRONG_SCHEME: see tvlb_boot. */
int32_t tvlb_admit(const tvlb_switch *sw, uint32_t node, uint8_t scheme, uint8_t paths,
                   const tvlb_inputs *inputs, tvlb_step *step);

/* PAR's second look, at a packet's second switch before tvlb_forward: changes the header of a
 * packet that is still open to it, and no other, so that it may be called for every packet that comes from
 * another switch. Packets of other schemes than TVLB_PAR are never open. A switch that was not booted for
 * TVLB_PAR answers an open header with TVLB_WRONG_SCHEME.
 *
 * A header is a 64-bit number in the byte order of the machine, in the caller's own memory: the
 * library reads *header when the call begins, writes it when the call ends, and keeps no pointer.
 * In which order the bytes travel over a link is the caller's choice, the same for all switches. Its fields, and what
 * of them stays, are described by docs/reference/header.md. */
int32_t tvlb_reconsider(const tvlb_switch *sw, uint64_t *header, uint8_t paths,
                        const tvlb_inputs *inputs);

/* The look in the intermediate group, where a VLB packet has come to it and before tvlb_forward: if the image says so
 * (tvlb_weighing.onward_by_cheapest), the packet goes on by the link to the group of its destination that is cheapest by
 * this switch's queues, instead of the one that was drawn with its path. The header of any other packet stays as it
 * is, so that it may be called for every packet that comes from another switch. A switch that never calls it sends
 * packets on as they were drawn, which does no harm. It draws no random words. */
int32_t tvlb_look_onward(const tvlb_switch *sw, uint64_t *header, const tvlb_inputs *inputs);

/* The next step of a packet that has come to this switch with this header. A header of any bits is
 * answered by a step or a code, but channels stay free of deadlock only with headers that switches
 * wrote: packets from nodes go through tvlb_admit. */
int32_t tvlb_forward(const tvlb_switch *sw, uint64_t header, tvlb_step *step);

/* Writes into `setup` the virtual channels that its packets need on local and on global links, where channels
 * are assigned as the switch image says. TVLB_MIN needs fewer than the others where its paths are all direct:
 * a cable joins every two groups, a link every two switches of a group, and nothing is dead. Where the sets of
 * the switch image have short routes, TVLB_CUSTOM needs fewer channels than TVLB_CONVENTIONAL.
 *
 * The answer is what this switch sends. Packets of all switches share the links, and switches of one
 * fabric may answer differently, so all of them must be booted with the most that any of them answers:
 * `tvlb inspect DIR` prints it. A switch that is booted with its own answer where others answer more gives
 * their packets TVLB_NO_CHANNEL. */
int32_t tvlb_channels_needed(tvlb_setup *setup);

/* A window per destination switch, for sources whose packets are acknowledged; nothing else needs it. Where a
 * destination is sent more than it takes, its packets fill the network. A source that counts its packets under
 * way to each other switch, and holds some while they arrive late, keeps the way free for the rest.
 *
 * Before a packet to a node of another switch is given to tvlb_admit, the source asks tvlb_window_admit of the
 * window to that switch (tvlb_switch_of). Where the packet may not set out it is held, and asked for again after
 * the next acknowledgement from there, the oldest packet first. Every packet that was admitted is acknowledged
 * with the cycles from when it set out to when it arrived, or said to be lost, or others are held for ever.
 * A source has a window for each switch, or fewer, which switches share: number % count. Windows begin as zeros. */
typedef struct tvlb_window {
    uint16_t under_way;
    uint16_t delay_eighths; /* the mean delay, in eighths of a cycle */
} tvlb_window;
typedef struct tvlb_window_limits {
    uint16_t delay_cycles; /* the mean delay above which packets are held, at most 8191 */
    uint16_t packets;      /* with so many packets under way a window is full, 1 or more */
} tvlb_window_limits;

/* The number of the switch of a node, TVLB_NO_SUCH_NODE if there is no such node. */
int32_t tvlb_switch_of(const tvlb_switch *sw, uint32_t node, uint32_t *number);

/* Writes 1 if a packet may set out, which then counts as under way, and 0 if it is to be held. */
int32_t tvlb_window_admit(tvlb_window *window, const tvlb_window_limits *limits, uint8_t *may_set_out);

/* A packet has arrived so many cycles after it set out. */
int32_t tvlb_window_acknowledge(tvlb_window *window, uint32_t delay_cycles);

/* A packet that was admitted will not be acknowledged: it is lost, or tvlb_admit refused it. */
int32_t tvlb_window_lose(tvlb_window *window);

/* UGAL by the group, for switches that tell the others of their group, now and then, how full their global ports are;
 * nothing else needs it. Each tells for each of its global ports tvlb_level of the credits in use of one virtual channel,
 * tvlb_leaving_channel. The others keep it in two bits for each global port of the group, in the order of the ports:
 * port n has the bits 2 * (n % 4) and the one above of byte n / 4. Levels may change during a call, as counters may. */
typedef struct tvlb_told {
    const uint8_t *levels;
    size_t level_bytes;    /* ports beyond them count as empty */
    uint32_t buffer_flits; /* of one virtual channel, behind a global port */
} tvlb_told;

/* As tvlb_admit by TVLB_UGAL_L, where a path that begins with a local hop costs what was told of its global port, too. */
int32_t tvlb_admit_told(const tvlb_switch *sw, uint32_t node, uint8_t paths, const tvlb_inputs *inputs,
                        const tvlb_told *told, tvlb_step *step);

/* The virtual channel on which packets leave their source group after a local hop. */
int32_t tvlb_leaving_channel(const tvlb_switch *sw, uint8_t *channel);

/* What is told of a port with so many credits in use: 0 to 3, in quarters of the buffer. */
uint8_t tvlb_level(uint32_t used, uint32_t buffer_flits);

/* How many physical ports the switch has: as many counters as `credits` should have. */
int32_t tvlb_ports(const tvlb_switch *sw, uint32_t *ports);

/* The number of the switch in its fabric, from 0. */
int32_t tvlb_switch_number(const tvlb_switch *sw, uint32_t *number);

/* One more than the highest number that a node can have: tvlb_admit accepts 0 to one less than that, but
   TVLB_NO_SUCH_NODE for numbers that are left out because a group is smaller than others. */
int32_t tvlb_node_count(const tvlb_switch *sw, uint32_t *nodes);

/* The number of the switch at the other end of the cable at `port`, counted over the whole fabric, as
 * tvlb_switch_number counts; the Rust crate answers by group and index in the group. TVLB_NO_CABLE for a port that
 * leads to a node and for an unused port, TVLB_BAD_ARGUMENT for a port that does not exist. */
int32_t tvlb_neighbour(const tvlb_switch *sw, uint16_t port, uint32_t *neighbour);

/* The number that the hardware has for `port`, 0 to 254, where the switch image says it. TVLB_NO_NUMBER
 * where it does not, TVLB_BAD_ARGUMENT for a port that does not exist. */
int32_t tvlb_physical_number(const tvlb_switch *sw, uint16_t port, uint32_t *number);

/* TVLB_OK if packets under way may meet `replacement` in the place of `sw`. TVLB_REPLACEMENT if it
 * is another switch or of another assignment of virtual channels, or if it was booted for fewer channels
 * or not for TVLB_PAR where `sw` was; or if it is of another fabric whose p, a or h is another, or in which
 * something is not the same that is not listed by the fault image of the switch whose fabric has it. So a
 * fabric grows: boot `replacement` from the new images and let it take a fault image that drains what is new. */
int32_t tvlb_check_replacement(const tvlb_switch *sw, const tvlb_switch *replacement);

/* What a switch is and where it stands. Ports are numbered nodes first, then links within the group, then
 * links to other groups. In fabrics whose groups differ some of the numbers may be unused. */
#define TVLB_ORDERED 0    /* how virtual channels are assigned: docs/explanation/format-3.md */
#define TVLB_PER_HOP 1
#define TVLB_POSITIONAL 2
#define TVLB_UP_DOWN 3
typedef struct tvlb_description {
    uint64_t fabric_identity;   /* of the fabric's wiring; all its images have it */
    uint32_t switch_number;
    uint32_t group;             /* the number of the switch's group */
    uint32_t index;             /* the number of the switch in its group */
    uint32_t groups;            /* how many groups the fabric has */
    uint32_t switches;          /* one more than the highest number of a switch */
    uint32_t nodes;             /* one more than the highest number of a node */
    uint32_t first_node;        /* the node at port 0 */
    uint32_t fault_epoch;       /* of the fault image in use; 0 if there is none */
    uint16_t ports;             /* how many physical ports there are */
    uint16_t terminals;         /* how many of the first ports lead to nodes */
    uint16_t first_local_port;  /* ports from here on are for links within the group */
    uint16_t first_global_port; /* ports from here on are for links to other groups */
    uint16_t links;             /* how many ports have a link that lives to another switch */
    uint8_t local_channels;     /* the virtual channels that packets may be given, on local links */
    uint8_t global_channels;    /* and on global ones */
    uint8_t assignment;         /* TVLB_ORDERED to TVLB_UP_DOWN */
    uint8_t scheme;             /* the scheme and the VLB paths that the switch was booted for */
    uint8_t paths;
} tvlb_description;
int32_t tvlb_describe(const tvlb_switch *sw, tvlb_description *description);

/* What a port leads to. TVLB_BAD_ARGUMENT for a port that does not exist. */
#define TVLB_PORT_UNUSED 0
#define TVLB_PORT_NODE 1
#define TVLB_PORT_LOCAL 2  /* a switch of the same group */
#define TVLB_PORT_GLOBAL 3 /* a switch of another group */
typedef struct tvlb_port {
    uint32_t to;       /* the number of the node or of the switch; 0 if unused */
    uint16_t far_port; /* the port of that switch at which the link ends; 0 if it is none */
    uint8_t kind;      /* TVLB_PORT_UNUSED to TVLB_PORT_GLOBAL */
    uint8_t alive;     /* 1 if it is used, and no fault image in use calls it or a switch at its ends dead */
} tvlb_port;
int32_t tvlb_describe_port(const tvlb_switch *sw, uint16_t port, tvlb_port *description);

/* How a decision weighs MIN against VLB, as the switch image says. */
#define TVLB_DECISION_UGAL_L 0     /* UGAL-L, and VLB alone, at the source switch */
#define TVLB_DECISION_PAR_SOURCE 1 /* PAR at the source switch */
#define TVLB_DECISION_PAR_SECOND 2 /* PAR's second look */
typedef struct tvlb_weighing {
    int16_t threshold;       /* T: MIN is taken if it costs at most T more than VLB */
    uint8_t min_candidates;  /* how many MIN and how many VLB candidates are drawn, 1 to 8 each */
    uint8_t vlb_candidates;
    uint8_t gate_sixteenths; /* 16 times the gate; 0 if there is none */
    uint8_t by_channel;      /* 1 if queues are the credits of single virtual channels, 0 if of all */
    uint8_t onward_by_cheapest; /* 1 if VLB packets leave their intermediate group by the cheapest link */
} tvlb_weighing;
int32_t tvlb_weighing_of(const tvlb_switch *sw, uint8_t decision, tvlb_weighing *weighing);

/* Why a packet takes its path: what was chosen from. For engineers and tools, not for each packet: it takes
 * more stack than a decision, and 4 KiB of flash on a Cortex-M4. Cost, queue and ports are those that the decision compared. */
#define TVLB_MOST_CANDIDATES 8
#define TVLB_ALL_CHANNELS 255
typedef struct tvlb_candidate {
    uint64_t cost;   /* what is compared: the queue times the hops */
    uint32_t queue;  /* credits in use at the first output port */
    uint16_t x;      /* the group's port by which the path leaves it; 0 within the group */
    uint16_t y;      /* the port by which it leaves the intermediate group; 0 of MIN and within the group */
    uint16_t detour; /* the switch visited before y's own, or y's own; within the group the switch between */
    uint16_t port;   /* the first output port */
    uint8_t hops;    /* hops from switch to switch */
    uint8_t virtual_channel; /* the one whose credits count, or TVLB_ALL_CHANNELS */
} tvlb_candidate;

/* Why no VLB candidate was drawn. */
#define TVLB_NO_DECISION 1  /* there was nothing to decide */
#define TVLB_MIN_IS_SURE 2  /* MIN costs at most T, so it is taken whatever the others cost */
#define TVLB_GATE_IS_SHUT 3 /* MIN's queue is not longer than the gate times the mean queue */
#define TVLB_NO_PATH 4      /* the pair has no VLB path, or its set keeps none */
typedef struct tvlb_explanation {
    tvlb_step step; /* what tvlb_admit answers; after tvlb_explain_again and tvlb_explain_onward the header alone */
    tvlb_weighing weighing;
    uint8_t not_drawn;  /* 0 if a VLB candidate was weighed, else TVLB_NO_DECISION to TVLB_NO_PATH */
    uint8_t gate_asked; /* 1 if the gate was asked, and the following five say what */
    uint8_t gate_open;  /* 1 if it let VLB in */
    uint8_t min_count;  /* how many MIN and VLB candidates there are */
    uint8_t vlb_count;
    uint8_t min_weighed; /* which of them were weighed: the cheapest */
    uint8_t vlb_weighed;
    uint16_t gate_links; /* the number of links over which the gate took the mean */
    uint32_t gate_queue; /* credits in use at the MIN candidate's first port, as the gate saw it */
    uint32_t gate_sum;   /* credits in use of all links, as the gate saw it */
    tvlb_candidate min[TVLB_MOST_CANDIDATES]; /* in the order in which they were drawn */
    tvlb_candidate vlb[TVLB_MOST_CANDIDATES];
} tvlb_explanation;

/* Makes the decision of tvlb_admit, with the same random numbers the same one, and says what it was made
 * from. */
int32_t tvlb_explain(const tvlb_switch *sw, uint32_t node, uint8_t scheme, uint8_t paths,
                     const tvlb_inputs *inputs, tvlb_explanation *explanation);

/* The same for tvlb_reconsider. A packet that gets no second look has no candidates. */
int32_t tvlb_explain_again(const tvlb_switch *sw, uint64_t header, uint8_t paths, const tvlb_inputs *inputs,
                           tvlb_explanation *explanation);

/* The same for tvlb_look_onward: the VLB candidates are the ways that it weighs, the drawn one first if it lives, and
 * the one weighed is the one taken. */
int32_t tvlb_explain_onward(const tvlb_switch *sw, uint64_t header, const tvlb_inputs *inputs,
                            tvlb_explanation *explanation);

/* Counters as hardware has them, in the place of a tvlb_inputs: of one, two or four bytes, in the byte order of the
 * machine, at equal distances, of credits in use or of free ones. The counter of a port's virtual channel is at
 * first + port * port_stride + channel * channel_stride; where `channels` is 0 a port has one counter for all its channels,
 * at first + port * port_stride. All else is as with tvlb_inputs: decisions are those that the same credits in use
 * would give there.
 *
 * A counter of free credits falls as flits are sent: its port or channel has as many credits in use as the counter is
 * below what it shows when the link is idle, and none if it is above. That is local_buffer for a link within the
 * group and global_buffer for one to another group, over all channels where a port has one counter. A counter of a port
 * without a cable must show it too, since a gate adds up all ports of links.
 *
 * TVLB_BAD_ARGUMENT for a counter_bytes that is not 1, 2 or 4, for a first counter that is not aligned to its size,
 * and for a stride of 0 or one that is not a multiple of that size, where there is more than one port or channel. Strides
 * may be in either order, and what lies between the counters is not read. */
typedef struct tvlb_counters {
    const void *first;            /* the counter of port 0, or of its channel 0 */
    size_t port_stride;           /* bytes from a port's counter to the next port's */
    size_t channel_stride;        /* bytes from a channel's counter to the next channel's */
    tvlb_random random;           /* must not be null */
    void *context;                /* given to `random` */
    const uint32_t *link_credits; /* the sum of the credits in use of ports to other switches, or null */
    uint32_t local_buffer;        /* what an idle link's counter shows; 0 if counters count credits in use */
    uint32_t global_buffer;       /* the same of links to other groups */
    uint16_t ports;               /* how many ports have counters; those beyond count as idle */
    uint8_t channels;             /* how many counters each port has; 0 if one, over all its channels */
    uint8_t counter_bytes;        /* the size of a counter: 1, 2 or 4 */
} tvlb_counters;

/* As the functions without _counted. A program that calls only one of the two kinds links only that one. */
int32_t tvlb_admit_counted(const tvlb_switch *sw, uint32_t node, uint8_t scheme, uint8_t paths,
                           const tvlb_counters *counters, tvlb_step *step);
int32_t tvlb_reconsider_counted(const tvlb_switch *sw, uint64_t *header, uint8_t paths,
                                const tvlb_counters *counters);
int32_t tvlb_look_onward_counted(const tvlb_switch *sw, uint64_t *header, const tvlb_counters *counters);
int32_t tvlb_explain_counted(const tvlb_switch *sw, uint32_t node, uint8_t scheme, uint8_t paths,
                             const tvlb_counters *counters, tvlb_explanation *explanation);
int32_t tvlb_explain_again_counted(const tvlb_switch *sw, uint64_t header, uint8_t paths,
                                   const tvlb_counters *counters, tvlb_explanation *explanation);
int32_t tvlb_explain_onward_counted(const tvlb_switch *sw, uint64_t header, const tvlb_counters *counters,
                                    tvlb_explanation *explanation);

/* What is wrong with an image, in words: for a program that has been refused one. `kind` is the code of the
 * refusal: TVLB_FABRIC_IMAGE, TVLB_SWITCH_IMAGE or TVLB_FAULT_IMAGE. Of TVLB_FABRIC_IMAGE
 * the second image is not read and may be null. TVLB_OK means that `error` was written, and error->code is
 * then TVLB_OK for a good image. A switch image for more virtual channels than the links have is a good one.
 * It holds the words for all that can be wrong: a program that calls it takes 13 KiB more flash on a Cortex-M4. */
#define TVLB_TEXT_SIZE 256
typedef struct tvlb_image_error {
    int32_t code;              /* TVLB_OK, or the code with which the image is refused */
    uint32_t offset;           /* the byte at which it is wrong, or where what is wrong begins */
    uint8_t text[TVLB_TEXT_SIZE]; /* what was read there, was found and would be accepted; ends in a 0 */
} tvlb_image_error;
int32_t tvlb_check_image(int32_t kind, const uint8_t *fabric_image, size_t fabric_len,
                         const uint8_t *image, size_t image_len, tvlb_image_error *error);

/* The version of the library, to be compared with TVLB_VERSION. */
uint32_t tvlb_version(void);

/* The name of an error code, for messages; never null. */
const char *tvlb_error_name(int32_t code);

#ifdef __cplusplus
}
#endif

#endif /* TVLB_H */
