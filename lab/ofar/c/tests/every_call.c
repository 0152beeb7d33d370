/* Calls every function of the interface at every hop once, without a C library: if any path through one of
 * them led to a panic, or if one were missing, this would not link. Exits with 0 if each answers as it should. */
#include "escape_images.h"
#include "start.h"
#include "tvlb_ofar.h"

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
    print(tvlb_ofar_error_name(found));
    print("\n");
    return 1;
}

int run(void)
{
    static tvlb_switch sw;
    static tvlb_ofar ofar;
    static tvlb_image_error error;
    tvlb_asked asked;
    uint64_t header = 0;
    uint32_t number = 0, ready = 0x7c;
    uint16_t room[28], capacity[7];
    uint8_t local = 0, global = 0, may = 0;
    tvlb_outputs outputs = {&ready, NULL, 1, room, capacity, 7, 4, seven, NULL};
    size_t fabric = (size_t)(small_fabric_end - small_fabric);
    size_t image = (size_t)(small_switch_end - small_switch);
    size_t escape = (size_t)(escape_ring_end - escape_ring);
    tvlb_setup setup = {small_fabric, fabric, small_switch, image, TVLB_PAR, TVLB_CONVENTIONAL, 5, 4};
    int failures = 0;

    for (int i = 0; i < 28; i++)
        room[i] = 4;
    for (int i = 0; i < 7; i++)
        capacity[i] = 4;
#define EXPECT(expected, call) failures += expect(#call, call, expected)
    EXPECT(TVLB_OK, tvlb_boot(&sw, &setup));
    EXPECT(TVLB_OK, tvlb_ofar_channels_needed(&sw, escape_ring, escape, &local, &global));
    EXPECT(TVLB_OK, tvlb_boot_ofar(&ofar, &sw, escape_ring, escape, local, global));
    EXPECT(TVLB_OK, tvlb_ofar_checksum(&ofar, &number));
    EXPECT(TVLB_OK, tvlb_launch(&ofar, 40, &header));
    EXPECT(TVLB_OK, tvlb_may_inject(&ofar, &outputs, &may));
    EXPECT(TVLB_OK, tvlb_ask(&ofar, header, &outputs, &asked));
    EXPECT(TVLB_OK, tvlb_check_escape_image(small_fabric, fabric, escape_ring, 50, &error));
    EXPECT(TVLB_ESCAPE_IMAGE, error.code);
    print((const char *)error.text);
    print("\n");
    return failures + !may + (asked.what != TVLB_SEND);
}
