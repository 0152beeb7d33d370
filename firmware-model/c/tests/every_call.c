/* Calls every function of the interface once, without a C library: if any path through one of them led to a
 * panic, or if one were missing, this would not link. Exits with 0 if each answers as it should. */
#include "start.h"
#include "tvlb.h"

static uint32_t seven(void *context)
{
    (void)context;
    return 7;
}

static int expect(const char *call, int32_t found, int32_t expected)
{
    if (found == expected)
        return 0;
    print(call);
    print(": ");
    print(tvlb_error_name(found));
    print("\n");
    return 1;
}

int run(void)
{
    static tvlb_switch sw, other;
    static tvlb_explanation explanation;
    static tvlb_image_error error;
    static const uint8_t fault_image[1];
    tvlb_description description;
    tvlb_port description_of_port;
    tvlb_weighing weighing;
    tvlb_step step;
    tvlb_window window = {0, 0};
    tvlb_window_limits limits = {150, 64};
    uint8_t may = 0;
    uint64_t header = 0;
    uint32_t number = 0, credits[7] = {0};
    tvlb_inputs inputs = {credits, 7, seven, NULL, NULL, 0};
    size_t fabric = (size_t)(small_fabric_end - small_fabric);
    size_t image = (size_t)(small_switch_end - small_switch);
    tvlb_setup setup = {small_fabric, fabric, small_switch, image, TVLB_PAR, TVLB_CONVENTIONAL, 0, 0};
    int failures = 0;

#define EXPECT(expected, call) failures += expect(#call, call, expected)
    EXPECT(TVLB_OK, tvlb_channels_needed(&setup));
    EXPECT(TVLB_OK, tvlb_boot(&sw, &setup));
    EXPECT(TVLB_OK, tvlb_boot(&other, &setup));
    EXPECT(TVLB_OK, tvlb_check_replacement(&sw, &other));
    EXPECT(TVLB_FAULT_IMAGE, tvlb_install_faults(&sw, fault_image, 1));
    EXPECT(TVLB_OK, tvlb_sums_only(&sw));
    EXPECT(TVLB_OK, tvlb_admit(&sw, 40, TVLB_PAR, TVLB_CUSTOM, &inputs, &step));
    /* To switch 14, by the first port for links to other groups, after a hop to this switch. */
    header = (uint64_t)14 << 48 | (uint64_t)2 << 28 | 1 << 5 | 1;
    EXPECT(TVLB_OK, tvlb_forward(&sw, header, &step));
    EXPECT(TVLB_OK, tvlb_reconsider(&sw, &header, TVLB_CUSTOM, &inputs));
    EXPECT(TVLB_OK, tvlb_look_onward(&sw, &header, &inputs));
    EXPECT(TVLB_OK, tvlb_explain(&sw, 40, TVLB_UGAL_L, TVLB_CUSTOM, &inputs, &explanation));
    EXPECT(TVLB_OK, tvlb_explain_again(&sw, header, TVLB_CUSTOM, &inputs, &explanation));
    EXPECT(TVLB_OK, tvlb_explain_onward(&sw, header, &inputs, &explanation));
    /* The same calls from counters of one byte, of free credits; that of port 2 shows 4 credits in use. */
    uint8_t hardware[7] = {32, 32, 28, 32, 32, 32, 32};
    const tvlb_counters counters = {hardware, 1, 0, seven, NULL, NULL, 32, 32, 7, 0, 1};
    EXPECT(TVLB_OK, tvlb_admit_counted(&sw, 40, TVLB_PAR, TVLB_CUSTOM, &counters, &step));
    EXPECT(TVLB_OK, tvlb_reconsider_counted(&sw, &header, TVLB_CUSTOM, &counters));
    EXPECT(TVLB_OK, tvlb_look_onward_counted(&sw, &header, &counters));
    EXPECT(TVLB_OK, tvlb_explain_counted(&sw, 40, TVLB_UGAL_L, TVLB_CUSTOM, &counters, &explanation));
    EXPECT(explanation.min[0].port == 2 ? 4 : 0, (int32_t)explanation.min[0].queue);
    EXPECT(TVLB_OK, tvlb_explain_again_counted(&sw, header, TVLB_CUSTOM, &counters, &explanation));
    EXPECT(TVLB_OK, tvlb_explain_onward_counted(&sw, header, &counters, &explanation));
    EXPECT(TVLB_OK, tvlb_switch_of(&sw, 40, &number));
    EXPECT(20, (int32_t)number);
    uint8_t levels[2] = {0, 0}, channel;
    const tvlb_told told = {levels, sizeof levels, 32};
    EXPECT(TVLB_OK, tvlb_leaving_channel(&sw, &channel));
    levels[0] = tvlb_level(20, 32);
    EXPECT(TVLB_OK, tvlb_admit_told(&sw, 40, TVLB_CUSTOM, &inputs, &told, &step));
    EXPECT(TVLB_OK, tvlb_window_admit(&window, &limits, &may));
    EXPECT(TVLB_OK, tvlb_window_acknowledge(&window, 80));
    EXPECT(TVLB_OK, tvlb_window_lose(&window));
    EXPECT(TVLB_OK, tvlb_ports(&sw, &number));
    EXPECT(TVLB_OK, tvlb_switch_number(&sw, &number));
    EXPECT(TVLB_OK, tvlb_node_count(&sw, &number));
    EXPECT(TVLB_OK, tvlb_neighbour(&sw, 2, &number));
    EXPECT(TVLB_NO_NUMBER, tvlb_physical_number(&sw, 2, &number));
    EXPECT(TVLB_OK, tvlb_describe(&sw, &description));
    EXPECT(TVLB_OK, tvlb_describe_port(&sw, 2, &description_of_port));
    EXPECT(TVLB_OK, tvlb_weighing_of(&sw, TVLB_DECISION_UGAL_L, &weighing));
    EXPECT(TVLB_OK, tvlb_check_image(TVLB_SWITCH_IMAGE, small_fabric, fabric, small_switch, 50, &error));
    EXPECT(TVLB_SWITCH_IMAGE, error.code);
    EXPECT(TVLB_VERSION, (int32_t)tvlb_version());
    print((const char *)error.text);
    print("\n");
    return failures;
}
