/* Structs as parameters, as elements of arrays, and as results. */
#include "synth/make.h"

#include <ctype.h>
#include <stdio.h>

static const char *const stems[] = {"Particle", "Material", "SimParams", "CellState", "Settings", "Body",  "Sample",
                                    "Agent",    "Node",     "Config",    "Contact",   "Emitter",  "Sensor"};

static Struct *random_struct(Synth *s, const char *names)
{
    Struct *strukt = struct_new(s, names);
    int fields = between(s, 2, 6);
    for (int i = 0; i < fields; i++) {
        const Type *type = chance(s, 0.6)   ? s->style.real
                           : chance(s, 0.7) ? type_of(s, "vec3")
                           : chance(s, 0.6) ? type_scalar(TYPE_INT32)
                                            : type_of(s, "vec2");
        Word word = theme_word(s, type);
        struct_field(s, strukt, word.name, type, word.range.low, word.range.high);
    }
    struct_end(s, strukt);
    return strukt;
}

/* result = Name(); result.energy = …; out[i] = result */
static void struct_output(Synth *s, const Struct *strukt)
{
    Name name = fresh(s, "result_s|state_out|record|next_state");
    Node *node = node_new(s, NODE_ASSIGN);
    list_push(s, &node->assign.targets, node_name(s, name));
    node->assign.targets.items[0]->name.store = true;
    node->assign.value = node_call(s, node_name(s, strukt->name), NULL, 0);
    add_statement(s, node);
    for (uint32_t i = 0; i < strukt->field_count; i++) {
        Expr value = random_expr(s, strukt->fields[i].type, 1);
        if (!value.type || (value.flags & EXPR_CONSTANT))
            continue;
        Node *set = node_new(s, NODE_ASSIGN), *place = node_new(s, NODE_ATTRIBUTE);
        place->attribute.value = node_name(s, name);
        place->attribute.attr = strukt->fields[i].name;
        list_push(s, &set->assign.targets, place);
        set->assign.value = value.node;
        add_statement(s, set);
    }
    Expr out = array_out(s, "states_out|records|results", strukt->type, s->dims, s->shape);
    store_at_tid(s, out, (Expr){.node = node_name(s, name), .type = strukt->type});
}

void make_struct(Synth *s)
{
    const char *stem = stems[below(s, 13)];
    Struct *first = random_struct(s, stem), *second = NULL;
    if (chance(s, 0.3))
        second = random_struct(s, stems[below(s, 13)]);
    const char *thread = PICK(s, "i", "tid", "idx");
    launch_grid(s, chance(s, 0.8) ? 1 : 2, thread);
    char names[64];
    snprintf(names, sizeof names, "%s", stem);
    names[0] = (char)tolower((unsigned char)names[0]);
    for (int i = 0; i < 2; i++) {
        const Struct *strukt = i ? second : first;
        if (!strukt)
            break;
        Expr value;
        if (chance(s, 0.5)) {
            Expr array = array_in(
                s, PICK(s, "elements|items", "records_in|entries", about(s, i ? "aux" : names, "*_list|*_array")),
                strukt->type, s->dims, s->shape, 0, 0);
            value = let_always(s, PICK(s, "item|elem", "cur|entry", "me|self_s"), subscript(s, array, s->tid, s->dims));
        } else {
            value = struct_param(s, strukt, PICK(s, "params|settings", "config|options", "props|spec"));
        }
        s->struct_values[s->struct_value_count++] = value;
    }
    make_generic(s);
    if (chance(s, 0.3))
        struct_output(s, chance(s, 0.5) && second ? second : first);
}
