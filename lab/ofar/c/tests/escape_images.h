/* The escape networks of the smaller fabric of `start.h`. To be included once in a program. */
#ifndef ESCAPE_IMAGES_H
#define ESCAPE_IMAGES_H

#include <stdint.h>

extern const uint8_t escape_ring[], escape_ring_end[];
extern const uint8_t escape_tree[], escape_tree_end[];

__asm__(".section .rodata\n"
        ".globl escape_ring, escape_ring_end, escape_tree, escape_tree_end\n"
        "escape_ring: .incbin \"../../../schema/golden/v3/escape-ring.tvlb\"\nescape_ring_end:\n"
        "escape_tree: .incbin \"../../../schema/golden/v3/escape-tree.tvlb\"\nescape_tree_end:\n"
        ".previous\n");

#endif
