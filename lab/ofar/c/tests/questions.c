/* Half a million questions of packets that decide at every hop; prints one number that depends on all that was
 * answered. `questions.rs` does the same in Rust. */
#include "escape_images.h"
#include "start.h"
#include "sum.h"
#include "tvlb_ofar.h"

_Static_assert(sizeof(tvlb_ofar) == TVLB_OFAR_SIZE, "the size that the header states");
_Static_assert(sizeof(tvlb_asked) == 16 && offsetof(tvlb_asked, port) == 8 &&
                   offsetof(tvlb_asked, room) == 10 && offsetof(tvlb_asked, what) == 12 &&
                   offsetof(tvlb_asked, virtual_channel) == 13,
               "an answer as Rust lays it out");

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
    tvlb_setup setup = {small_fabric, length(small_fabric, small_fabric_end),
                        small_switch, length(small_switch, small_switch_end),
                        TVLB_MIN,     TVLB_CONVENTIONAL,
                        4,            3};

    add((uint64_t)tvlb_boot(&sw, &setup));
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
    ask_at_every_hop(escape_ring, length(escape_ring, escape_ring_end));
    ask_at_every_hop(escape_tree, length(escape_tree, escape_tree_end));
    print_hex(sum);
    print("\n");
    return 0;
}
