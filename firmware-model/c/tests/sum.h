/* Random numbers, and a number that depends on all that was added to it. To be included once in a program. */
#ifndef SUM_H
#define SUM_H

#include <stdint.h>

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

#endif
