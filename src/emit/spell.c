/* How names are spelled: parts of variables, members. */
#include "emit/spell.h"

char *put_part(char *to, const IrVar *var, const char *prefix)
{
    to = put_variable(to, var->part->root, var->is_adjoint ? "adj_" : prefix);
    for (uint32_t i = 0; i < var->part->step_count; i++) {
        Name field = var->part->steps[i].field;
        *to++ = '.';
        to = put_bytes(to, field->text, field->len);
    }
    return to;
}

bool is_array_pointer(const Type *of, Name field)
{
    return type_strip_reference(of)->kind == TYPE_ARRAY && name_is(field, "ptr");
}

void put_field(Text *out, const Type *of, Name field)
{
    if (is_array_pointer(of, field))
        text_lit(out, "data");
    else
        text_add(out, field->text, field->len);
}
