/* The text of a second device. Its structs and functions are those of the first, but for a word before each function; the lines
 * of its kernels are the same with another margin, and another word where a thread leaves. To copy them instead of walking
 * the tree again saves 6 % of the instructions of a compilation (callgrind, weft_compile on the golden set). */
#include "emit/target.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* No line may become longer. */
bool can_copy(const EmitText *other, const IrModule *module, const Target *target)
{
    return other && other->layout.module == module && other->layout.margin >= target->kernel_margin &&
           strlen(other->layout.leave) >= strlen(target->leave(module));
}

void copy_functions(const EmitText *other, const Target *target, Text *out)
{
    const EmitLayout *layout = &other->layout;
    size_t skipped = strlen(layout->function_prefix), at = 0;
    for (uint32_t i = 0; i < layout->prefix_count; i++) {
        text_add(out, other->prelude.data + at, layout->prefixes[i] - at);
        text_str(out, target->function_prefix);
        at = layout->prefixes[i] + skipped;
    }
    text_add(out, other->prelude.data + at, layout->functions_end - at);
}

/* Up to the end of the line and with it; returns where the next one begins. `to` moves on, and has room for BLOCK bytes more. */
enum { BLOCK = 32 };
static inline const char *copy_line(char **to, const char *line, const char *end)
{
#ifdef __SSE2__ /* looking and copying at once: half the instructions of memchr and memcpy */
    const __m128i newlines = _mm_set1_epi8('\n');
    for (; end - line >= BLOCK; line += BLOCK, *to += BLOCK) {
        const __m128i *from = (const __m128i *)(const void *)line;
        __m128i one = _mm_loadu_si128(from), two = _mm_loadu_si128(from + 1);
        _mm_storeu_si128((__m128i *)(void *)*to, one);
        _mm_storeu_si128((__m128i *)(void *)*to + 1, two);
        unsigned first = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(one, newlines));
        unsigned found = first | (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(two, newlines)) << 16;
        if (found) {
            int len = __builtin_ctz(found) + 1;
            *to += len;
            return line + len;
        }
    }
#endif
    const char *next = (const char *)memchr(line, '\n', (size_t)(end - line)) + 1;
    *to = put_bytes(*to, line, (size_t)(next - line));
    return next;
}

void copy_body(const EmitText *other, const Text *text, EmitBody body, const IrModule *module, const Target *target,
               Text *out)
{
    const char *leave = target->leave(module), *left = other->layout.leave;
    size_t shift = other->layout.margin - target->kernel_margin, left_len = strlen(left), leave_len = strlen(leave);
    const char *end = text->data + body.end;
    if (!text_reserve(out, body.end - body.start + BLOCK))
        return;
    char *to = out->data + out->len;
    for (const char *next = text->data + body.start; next < end;) {
        next = copy_line(&to, next + shift, end);
        const char *word = next - left_len - sizeof ";"; /* there is text enough before the first line */
        if (next[-3] == left[left_len - 1] && word[-1] == ' ' && memcmp(word, left, left_len) == 0)
            to = put_lit(put_bytes(to - left_len - 2, leave, leave_len), ";\n");
    }
    text_end(out, to);
}
