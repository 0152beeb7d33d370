/* The little that a program without a C library needs on Linux: an entry, an output, an end, and
 * the four functions that compilers call. A switch's firmware brings its own. */
#include "start.h"

static long call(long number, long a, long b, long c)
{
#if defined(__x86_64__)
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c)
                     : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
    return x0;
#else
#error "no system calls known for this machine"
#endif
}

#if defined(__x86_64__)
enum { WRITE = 1, EXIT = 60 };
__asm__(".globl _start\n_start: xor %ebp, %ebp\n and $-16, %rsp\n call start\n");
#else
enum { WRITE = 64, EXIT = 93 };
__asm__(".globl _start\n_start: bl start\n");
#endif

void print(const char *text)
{
    size_t length = 0;
    while (text[length] != 0)
        length++;
    call(WRITE, 1, (long)text, (long)length);
}

void print_hex(uint64_t number)
{
    char digits[17];
    for (int place = 0; place < 16; place++)
        digits[place] = "0123456789abcdef"[number >> (60 - 4 * place) & 0xf];
    digits[16] = 0;
    print(digits);
}

__attribute__((noreturn, used)) void start(void)
{
    call(EXIT, run(), 0, 0);
    for (;;) {
    }
}

void *memcpy(void *restrict to, const void *restrict from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
    return to;
}

void *memmove(void *to, const void *from, size_t count)
{
    if ((uintptr_t)to < (uintptr_t)from)
        return memcpy(to, from, count);
    for (size_t i = count; i > 0; i--)
        ((unsigned char *)to)[i - 1] = ((const unsigned char *)from)[i - 1];
    return to;
}

void *memset(void *to, int value, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((unsigned char *)to)[i] = (unsigned char)value;
    return to;
}

int memcmp(const void *one, const void *other, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int difference = ((const unsigned char *)one)[i] - ((const unsigned char *)other)[i];
        if (difference != 0)
            return difference;
    }
    return 0;
}

/* The images of dfly(4, 8, 4, 9) and of dfly(2, 4, 2, 9), as an engineer would place them in flash. */
__asm__(".section .rodata\n"
        ".globl fabric_image, fabric_end, source_image, source_end, second_image, second_end\n"
        ".globl onward_image, onward_end\n"
        ".globl small_fabric, small_fabric_end, small_switch, small_switch_end\n"
        "fabric_image: .incbin \"fabric.tvlb\"\nfabric_end:\n"
        "source_image: .incbin \"switch-00003.tvlb\"\nsource_end:\n"
        "second_image: .incbin \"switch-00004.tvlb\"\nsecond_end:\n"
        "onward_image: .incbin \"switch-00004-onward.tvlb\"\nonward_end:\n"
        "small_fabric: .incbin \"../../../schema/golden/v3/fabric.tvlb\"\nsmall_fabric_end:\n"
        "small_switch: .incbin \"../../../schema/golden/v3/switch-00005.tvlb\"\nsmall_switch_end:\n"
        ".previous\n");
