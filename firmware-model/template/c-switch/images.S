/* The images in read-only memory. The assembler finds them with -Wa,-Iimages. */
#if defined(__ELF__)
    .section .rodata
#endif
    .globl fabric_image, fabric_end, first_image, first_end, second_image, second_end
fabric_image:
    .incbin "fabric.tvlb"
fabric_end:
first_image:
    .incbin "00003.tvlb"
first_end:
second_image:
    .incbin "00004.tvlb"
second_end:
#if defined(__linux__)
    .section .note.GNU-stack, "", %progbits
#endif
