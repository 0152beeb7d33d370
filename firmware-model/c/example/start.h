/* What `start.c` gives to a program, and what it wants of it. */
#ifndef START_H
#define START_H

#include <stddef.h>
#include <stdint.h>

/* The program; its value is the exit status. */
int run(void);

void print(const char *text);
void print_hex(uint64_t number);

/* The fabric image, and those of switch 3 and switch 4 of the same group. */
extern const uint8_t fabric_image[], fabric_end[];
extern const uint8_t source_image[], source_end[];
extern const uint8_t second_image[], second_end[];
/* Switch 4 with credits by channel, whose VLB packets go on by the cheapest link. */
extern const uint8_t onward_image[], onward_end[];

/* A smaller fabric, and one switch of it. */
extern const uint8_t small_fabric[], small_fabric_end[];
extern const uint8_t small_switch[], small_switch_end[];

#endif
