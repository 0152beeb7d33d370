/* A million packets with random destinations, schemes, credits and headers, and half a million questions
 * of packets that decide at every hop; prints one number that depends on all that was answered.
 * `million.rs` does the same in Rust. */
#include "start.h"
#include "tvlb.h"

_Static_assert(sizeof(tvlb_switch) == TVLB_SWITCH_SIZE, "the size that the header states");
_Static_assert(sizeof(tvlb_step) == 16 && offsetof(tvlb_step, port) == 8 &&
                   offsetof(tvlb_step, virtual_channel) == 10 &&
                   offsetof(tvlb_step, deliver) == 11 && offsetof(tvlb_step, choice) == 12,
               "a step as Rust lays it out");
_Static_assert(sizeof(tvlb_ofar) == TVLB_OFAR_SIZE, "the size that the header states");
_Static_assert(sizeof(tvlb_asked) == 16 && offsetof(tvlb_asked, port) == 8 &&
                   offsetof(tvlb_asked, room) == 10 && offsetof(tvlb_asked, what) == 12 &&
                   offsetof(tvlb_asked, virtual_channel) == 13,
               "an answer as Rust lays it out");

_Static_assert(sizeof(tvlb_description) == 56 && offsetof(tvlb_description, fault_epoch) == 36 &&
                   offsetof(tvlb_description, links) == 48 && offsetof(tvlb_description, paths) == 54,
               "a description as Rust lays it out");
_Static_assert(sizeof(tvlb_port) == 8 && offsetof(tvlb_port, alive) == 7, "a port as Rust lays it out");
_Static_assert(sizeof(tvlb_weighing) == 6 && offsetof(tvlb_weighing, gate_sixteenths) == 4 &&
                   offsetof(tvlb_weighing, by_channel) == 5,
               "a weighing as Rust lays it out");
_Static_assert(sizeof(tvlb_explanation) == 424 && offsetof(tvlb_explanation, weighing) == 16 &&
                   offsetof(tvlb_explanation, vlb_weighed) == 28 &&
                   offsetof(tvlb_explanation, gate_sum) == 36 && offsetof(tvlb_explanation, min) == 40 &&
                   sizeof(tvlb_candidate) == 24 && offsetof(tvlb_candidate, hops) == 20 &&
                   offsetof(tvlb_candidate, virtual_channel) == 21,
               "an explanation as Rust lays it out");
_Static_assert(sizeof(tvlb_image_error) == 264 && offsetof(tvlb_image_error, text) == 8,
               "what is wrong with an image as Rust lays it out");

static uint32_t next_random(void *context)
{
    uint64_t *state = context; /* xorshift64 (Marsaglia, 2003), the high half */
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 32);
}

static uint64_t sum = 0xcbf29ce484222325;

static void add(uint64_t number)
{
    sum = (sum ^ number) * 0x100000001b3;
}

static void add_step(int32_t code, const tvlb_step *step)
{
    add((uint64_t)code);
    if (code == TVLB_OK) {
        add(step->header);
        add(step->port);
        add(step->virtual_channel);
        add(step->deliver);
        add(step->choice);
    }
}

static size_t length(const uint8_t *first, const uint8_t *end)
{
    return (size_t)(end - first);
}

/* Switch 5 of dfly(2, 4, 2, 9), with as much room on its outputs as random numbers say. */
static void ask_at_every_hop(const uint8_t *escape, size_t escape_len)
{
    static tvlb_switch sw;
    static tvlb_ofar ofar;
    uint64_t numbers = 88172645463325252u, draws = 1;
    uint32_t ready = 0, granted = 0;
    uint16_t room[28], capacity[7];
    tvlb_outputs outputs = {&ready, &granted, 1, room, capacity, 7, 4, next_random, &draws};

    add((uint64_t)tvlb_boot(&sw, small_fabric, length(small_fabric, small_fabric_end), small_switch,
                            length(small_switch, small_switch_end), TVLB_MIN, 4, 3));
    add((uint64_t)tvlb_boot_ofar(&ofar, &sw, escape, escape_len, 4, 3));
    for (uint32_t question = 0; question < 250000; question++) {
        uint32_t word = next_random(&numbers);
        ready = next_random(&numbers) & 0x7c & word;
        granted = next_random(&numbers) & 0x7c;
        for (int channel = 0; channel < 28; channel++) {
            uint32_t bits = next_random(&numbers);
            room[channel] = (bits & 3) < (word >> 8 & 3) ? 0 : (uint16_t)(bits >> 30);
        }
        for (int port = 0; port < 7; port++)
            capacity[port] = (uint16_t)(2 + (next_random(&numbers) >> 30));
        uint64_t header = (uint64_t)next_random(&numbers) << 32;
        header |= next_random(&numbers);
        if ((word >> 10 & 1) == 1)
            add((uint64_t)tvlb_launch(&ofar, word >> 11 & 0x4f, &header));
        else if ((word >> 11 & 1) == 1)
            header = (header & 0x003f01ffc000001c) | (word >> 12 & 1 ? 0x43 : 0x23);
        uint8_t may = 2;
        add((uint64_t)tvlb_may_inject(&ofar, &outputs, &may));
        add(may);
        tvlb_asked asked;
        int32_t code = tvlb_ask(&ofar, header, &outputs, &asked);
        add((uint64_t)code);
        if (code == TVLB_OK) {
            add(asked.header);
            add(asked.port);
            add(asked.room);
            add(asked.what);
            add(asked.virtual_channel);
        }
    }
}

int run(void)
{
    static tvlb_switch source, second;
    uint64_t numbers = 88172645463325252u, draws = 1;
    uint32_t credits[15];
    tvlb_inputs inputs = {credits, 15, next_random, &draws, NULL, 0};
    size_t fabric_len = (size_t)(fabric_end - fabric_image);

    add((uint64_t)tvlb_boot(&source, fabric_image, fabric_len, source_image,
                            (size_t)(source_end - source_image), TVLB_PAR, 5, 4));
    add((uint64_t)tvlb_boot(&second, fabric_image, fabric_len, second_image,
                            (size_t)(second_end - second_image), TVLB_PAR, 5, 4));
    for (uint32_t packet = 0; packet < 1000000; packet++) {
        uint32_t word = next_random(&numbers);
        uint32_t node = (word & 0x1ff) * 9 / 16; /* now and then one that does not exist */
        uint8_t scheme = word >> 9 & 3, paths = word >> 11 & 1;
        for (int port = 0; port < 15; port++)
            credits[port] = next_random(&numbers) >> 27;
        tvlb_step step;
        int32_t code = tvlb_admit(&source, node, scheme, paths, &inputs, &step);
        add_step(code, &step);
        uint64_t header = (uint64_t)next_random(&numbers) << 32;
        header |= next_random(&numbers);
        if (code == TVLB_OK && (word >> 12 & 1) == 1)
            header = step.header;
        else if ((word >> 13 & 1) == 1)
            header &= 0x003f0301f01f07ff;
        code = tvlb_reconsider(&second, &header, paths, &inputs);
        add((uint64_t)code);
        add(header);
        code = tvlb_forward(&second, header, &step);
        add_step(code, &step);
    }
    ask_at_every_hop(escape_ring, length(escape_ring, escape_ring_end));
    ask_at_every_hop(escape_tree, length(escape_tree, escape_tree_end));
    print_hex(sum);
    print("\n");
    return 0;
}
