/* A million packets with random destinations, schemes, credits and headers; prints one number that depends
 * on all that was answered. `million.rs` does the same in Rust. */
#include "start.h"
#include "sum.h"
#include "tvlb.h"

_Static_assert(sizeof(tvlb_switch) == TVLB_SWITCH_SIZE, "the size that the header states");
_Static_assert(sizeof(tvlb_window) == 4 && sizeof(tvlb_window_limits) == 4 &&
                   offsetof(tvlb_window_limits, packets) == 2,
               "a window as Rust lays it out");
_Static_assert(offsetof(tvlb_setup, scheme) == 4 * sizeof(size_t) &&
                   offsetof(tvlb_setup, global_channels) == 4 * sizeof(size_t) + 3,
               "a setup as Rust lays it out");
_Static_assert(sizeof(tvlb_step) == 16 && offsetof(tvlb_step, port) == 8 &&
                   offsetof(tvlb_step, virtual_channel) == 10 &&
                   offsetof(tvlb_step, deliver) == 11 && offsetof(tvlb_step, choice) == 12,
               "a step as Rust lays it out");
_Static_assert(sizeof(tvlb_description) == 56 && offsetof(tvlb_description, fault_epoch) == 36 &&
                   offsetof(tvlb_description, links) == 48 && offsetof(tvlb_description, paths) == 54,
               "a description as Rust lays it out");
_Static_assert(sizeof(tvlb_port) == 8 && offsetof(tvlb_port, alive) == 7, "a port as Rust lays it out");
_Static_assert(sizeof(tvlb_weighing) == 8 && offsetof(tvlb_weighing, gate_sixteenths) == 4 &&
                   offsetof(tvlb_weighing, by_channel) == 5 &&
                   offsetof(tvlb_weighing, onward_by_cheapest) == 6,
               "a weighing as Rust lays it out");
_Static_assert(sizeof(tvlb_explanation) == 432 && offsetof(tvlb_explanation, weighing) == 16 &&
                   offsetof(tvlb_explanation, vlb_weighed) == 30 &&
                   offsetof(tvlb_explanation, gate_sum) == 40 && offsetof(tvlb_explanation, min) == 48 &&
                   sizeof(tvlb_candidate) == 24 && offsetof(tvlb_candidate, hops) == 20 &&
                   offsetof(tvlb_candidate, virtual_channel) == 21,
               "an explanation as Rust lays it out");
_Static_assert(sizeof(tvlb_image_error) == 264 && offsetof(tvlb_image_error, text) == 8,
               "what is wrong with an image as Rust lays it out");

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

int run(void)
{
    static tvlb_switch source, second, onward;
    uint64_t numbers = 88172645463325252u, draws = 1;
    uint32_t credits[15], by_channel[15 * 5];
    tvlb_inputs inputs = {credits, 15, next_random, &draws, NULL, 0};
    tvlb_inputs of_channels = {by_channel, 15, next_random, &draws, NULL, 5};
    tvlb_setup setup = {fabric_image, (size_t)(fabric_end - fabric_image),
                        source_image, (size_t)(source_end - source_image),
                        TVLB_PAR,     TVLB_CONVENTIONAL,
                        5,            4};

    add((uint64_t)tvlb_boot(&source, &setup));
    setup.switch_image = second_image;
    setup.switch_length = (size_t)(second_end - second_image);
    add((uint64_t)tvlb_boot(&second, &setup));
    setup.switch_image = onward_image;
    setup.switch_length = (size_t)(onward_end - onward_image);
    add((uint64_t)tvlb_boot(&onward, &setup));
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
        /* Half of the headers become those of VLB packets that come to their intermediate group. */
        if ((word >> 14 & 1) == 1)
            header = (header & 0x003f0301f01f0700) | 0x62;
        for (int at = 0; at < 15 * 5; at++)
            by_channel[at] = credits[at / 5] >> at % 5;
        code = tvlb_look_onward(&onward, &header, &of_channels);
        add((uint64_t)code);
        add(header);
    }
    print_hex(sum);
    print("\n");
    return 0;
}
