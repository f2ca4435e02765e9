/* A draft: one kernel on its way from a scene to text. Each pass has its file:
 *
 *     cast.c, choose.c   the scene's statements with its choices made
 *     compose.c  a second scene that goes on with what the first one made
 *     plan.c     laws before and behind
 *     flow.c, source*.c, result.c   where inputs come from, what becomes of results
 *     write_law.c  calls of laws: written out, or functions of their own
 *     layout.c   what the caller passes, and how: arrays, structs, parameters, constants
 *     style*.c   the author's habits
 *     name.c     names
 *     finish.c   text, launch, description
 *
 * Trees are made anew for every draft and changed in place. node->fact of a name is the number of its symbol and one;
 * 0: the name is what it says (wp, float, range). */
#ifndef WEFT_SYNTH_MEANING_DRAFT_H
#define WEFT_SYNTH_MEANING_DRAFT_H

#include "synth/meaning/meaning.h"
#include "synth/meaning/name_style.h"

#include <setjmp.h>

enum { SCOPE_MODULE, SCOPE_KERNEL, SCOPE_FIRST_FUNCTION };
enum { MAX_SYMBOLS = 700, MAX_ITEMS = 48, MAX_COUNTS = 12, MAX_DRAFT_FUNCTIONS = 16, MAX_DRAFT_CONSTANTS = 24 };

typedef enum SymbolKind {
    SYMBOL_LOCAL,
    SYMBOL_INPUT, /* of an item */
    SYMBOL_COUNT, /* how many there are of an entity */
    SYMBOL_MEMBER,
    SYMBOL_CONSTANT,
    SYMBOL_FUNCTION,
    SYMBOL_STRUCT,
    SYMBOL_FIELD
} SymbolKind;

typedef struct Symbol {
    SymbolKind kind;
    uint32_t scope;
    const char *names;    /* alternatives, "a|b|c" */
    const Entity *entity; /* what @ in them stands for */
    uint32_t column;      /* which of the alternatives, modulo their number, and one; 0: any */
    Name name;            /* in the end */
    const char *drawn;    /* of the alternatives, before the author's spelling */
    const char *core; /* in the author's spelling, without what goes before and behind: elements are called after it */
    Node *value;      /* stands for this */
    uint32_t uses;
    uint32_t copy_of; /* the symbol of the kernel that a function's parameter stands for; 0: none */
    uint32_t of[2];   /* the symbols that # and $ in the alternatives stand for */
    uint32_t
        element_of; /* the symbol of an array: it is called after it, and after the index of[0]; 0: it is no element */
    uint32_t column_index; /* the number behind that index, and one */
    uint32_t components;   /* of a vector; 0: not known to be one */
    bool dotted;           /* p.x is read of it */
    const char *type;      /* of what a function gives back, where that is known */
} Symbol;

typedef enum ItemForm {
    FORM_ARGUMENT, /* a parameter of its own */
    FORM_CONSTANT, /* of the module */
    FORM_LITERAL,
    FORM_FIELD,   /* of a struct that is a parameter: p.x, p.x[i] */
    FORM_ELEMENT, /* of a struct that is the element of an array: a[i].x */
    FORM_FLAT,    /* the last two axes in one: a[3 * i + k] */
    FORM_VECTOR,  /* the last axis in the element: a[i][k] */
    FORM_SPLIT,   /* an array for each element of the last axis, or each component: a0[i], a1[i] */
    FORM_COLUMNS, /* the components of a vector as a further axis: a[i, k] */
    FORM_PACKED,  /* the components of a vector one after the other: a[3 * i + k] */
    FORM_ROWS     /* row after row of a grid: a[i * width + j] */
} ItemForm;

enum { MAX_SPLIT = 4 };

/* A value that the kernel gets or gives. */
typedef struct Item {
    Part part;
    const char *role; /* what the scene, or the plan, calls it */
    uint32_t symbol;
    bool present, is_bool;
    bool is_second;  /* what another item becomes: x_new beside x */
    bool is_of_flow; /* a source or a treated result brought it along */
    uint32_t bit;    /* of flags: the one that is asked for, and one; 0: it is no number of bits (flag_bits.c) */
    bool is_shared;  /* read at an index of its own: x[owner[i]] (shared.c) */
    enum { WORLD_OF_NONE, WORLD_IN_FRONT, WORLD_IN_PLACE } of_world; /* where spread_worlds() put its axis */
    ItemForm form;
    uint32_t first_member;     /* of a kind: the symbol of its first member */
    uint32_t owner, field;     /* the struct, and the symbol of the field in it */
    uint32_t split[MAX_SPLIT]; /* symbols */
    const char *type;          /* of an element, as it comes out */
    double value;              /* of constants and literals */
    uint32_t turns;            /* a constant that loops up to it are unrolled for; 0: it may be any */
    uint32_t ndim, shape[4];
    uint32_t width;   /* of vectors whose components are stored one by one */
    uint32_t grid[2]; /* rows and columns of a grid that is stored row after row */
    uint32_t cut;     /* of a tile: so much of the last one is beyond the ends of arrays */
} Item;

typedef struct Count {
    const Entity *entity;
    uint32_t number; /* which axis */
    uint32_t value;
    uint32_t symbol; /* 0: nobody asked */
    uint32_t turns;  /* a constant that loops over it are unrolled for; 0: it may be any */
    bool is_argument, is_field;
    bool is_array; /* an array of one element: counted on the device */
    bool looped;   /* the scene itself asked, mostly for a loop */
    uint32_t owner, field;
} Count;

typedef struct DraftStruct {
    uint32_t symbol, holder; /* the class; the parameter */
    bool is_array, is_output;
    uint32_t ndim, shape[4];
} DraftStruct;

/* A scene in the draft. */
typedef struct Casting {
    const Scene *scene;
    uint32_t first_item, base; /* its first item, the symbol of its first name */
    bool goes_on;              /* with a result of the scenes before it, rather than from the same data */
    const Entity
        *entity; /* what the first of its things comes to, in a scene that joined others; NULL: see cast_entity() */
    double decisions[MAX_CHOICES_OF_SCENE];
    bool decided[MAX_CHOICES_OF_SCENE];
} Casting;

enum { MAX_CASTINGS = 4 };

/* What the plan added: `role` follows by the law, from `from` where it is a result that is carried on. */
typedef struct Derived {
    const Law *law;
    const char *role, *from;
} Derived;

enum {
    MAX_DRAFT_STRUCTS = 4,
    MAX_OUTLINES = 9 /* two parts, three sums, two tests, the stores, and one to spare */,
    MAX_ARGUMENTS = MAX_ITEMS + MAX_COUNTS
};

/* A parameter of the kernel. */
typedef struct Argument {
    uint32_t symbol;
    const char *type; /* NULL: the struct */
    uint32_t ndim, shape[4];
    Item *item; /* one of these */
    const Count *count;
    const DraftStruct *structure;
} Argument;

/* Comments around the parameters. */
typedef struct ArgumentNotes {
    const char *before[MAX_ARGUMENTS], *after[MAX_ARGUMENTS]; /* NULL: none */
    bool any;
} ArgumentNotes;

typedef struct DraftFunction {
    const Law *law;
    uint32_t symbol;     /* 0: it is written out where it is called */
    const char *builtin; /* called in its place */
    Node *definition;
} DraftFunction;

typedef struct DraftConstant {
    uint32_t symbol;
    Node *value;
    uint32_t of_class; /* the symbol of an enum; 0: a constant of the module */
} DraftConstant;

/* How this author writes: chosen once for each kernel. */
typedef struct Habits {
    unsigned array_style; /* 0: array(dtype=), 1: array2d(dtype=), 2: array[...], 3: array(ndim=) */
    bool wp_scalars;      /* wp.float32 rather than float, wp.vec3f rather than wp.vec3 */
    bool aliases;         /* float32 = wp.float32, for types of annotations and casts */
    bool wp_casts;        /* the same in expressions */
    bool length_squares;  /* wp.length_sq(v) rather than wp.dot(v, v) */
    bool docstring, function_docstrings, annotated_results, tall, blank_lines;
    double comments;            /* that a note becomes one */
    double functions;           /* that a law becomes a function */
    double structures;          /* that items go into structs */
    bool full_exponents;        /* 1.0e-6 rather than 1e-6 */
    bool plain_constants;       /* G = 9.81 rather than wp.constant(9.81) */
    unsigned enum_style;        /* 0: constants, 1: with the kind's name before, 2: a class, 3: numbers */
    double constants, literals; /* that a setting becomes one */
    unsigned naming;            /* 0: as they come, 1: short, 2: long */
    bool plain_updates, augmented_updates, plain_atomics, nested_guard, continues, nested_ifs;
    unsigned select_style; /* 0: if and else, 1: wp.where, 2: x if c else y */
    bool dotted;           /* p.y rather than p[1] */
    unsigned zero_style;   /* see restyle_zero */
    bool python_min, clamps, ranges_from_zero;
    double naming_repeats; /* that what is needed twice gets a name */
    double loading_first;  /* that an element of the thread that is only read does */
    double inlining, swapping;
    double direct_returns; /* return a * b, rather than of a variable */
    bool literals_last;
    bool at_signs;          /* m @ v of matrices */
    bool thorough;          /* every scene that might go on is tried */
    double steps;           /* probability that another scene uses the result of this one */
    bool flag_bits;         /* one of the flags is a bit of a number */
    bool bool_flags;        /* arrays of bool rather than of 0 and 1 */
    bool named_lengths;     /* n = x.shape[0] */
    double outlines;        /* that a part of the kernel becomes a function */
    double element_names;   /* that the thread's own element becomes a variable */
    bool static_bounds;     /* range(wp.static(N)) */
    bool static_values;     /* constants are wp.static(N) elsewhere, too */
    double generic_kernels; /* that a kernel takes arrays of any type, where it can */
    double generics;        /* that a function takes values of any type */
    double components;      /* that vectors are written out */
    double else_blocks, single_guards, presets, swapped_branches, flipping; /* see style_branch.c */
    double unrolling, while_loops;                                          /* see style_loop.c */
    double flat_launch, flat_grids, strides;                                /* see layout_grid.c */
    bool unrolled_states;                               /* loops that carry a state run over constants */
    bool sum_functions;                                 /* loops that add up are functions */
    bool second_arrays;                                 /* what changes goes into a second array */
    double forward_only;                                /* that a kernel has no backward pass though it could */
    bool plain_options;                                 /* @wp.kernel(), @wp.kernel(enable_backward=True) */
    double unique_modules;                              /* that it is a module of its own */
    double sections, argument_comments, args_docstring; /* see signature.c */
    double noted;                                       /* that a comment begins with NOTE: */
    double trailing;                                    /* that a comment stands behind its statement */
    bool optional_masks;                                /* if mask: if mask[i] == 0: return */
    double worlds;                                      /* that a scene runs in many worlds at once */
    double guards;        /* of more threads than there is work for, times what is usual */
    double sharing;       /* that several elements share some data */
    double derives;       /* that laws are put before and behind the scene */
    ItemForm vector_form; /* of arrays of vectors: as they are, or component by component */
} Habits;

typedef struct Draft {
    SynthContext *context;
    Meaning *meaning;
    const Scene *scene;
    CategoryId category;
    Arena *arena;
    NameTable names; /* of final names */
    Rng rng;
    Habits habits;
    NameStyle style;
    jmp_buf *given_up;
    const char *failure;

    uint32_t symbol_count;
    uint32_t item_count;
    uint32_t count_count;
    uint32_t function_count, scope_count;
    uint32_t constant_count;
    DraftStruct structs[MAX_DRAFT_STRUCTS];
    uint32_t struct_count;
    uint32_t argument_count;
    uint64_t topics;       /* of laws that may be put before and behind the scene */
    const Law *called[16]; /* by the scene and the plan */
    uint32_t called_count;
    Derived derived[8];
    uint32_t derived_count;
    const char
        *flows[12]; /* where inputs come from, what becomes of results: "mass = table(mass, mass.class)" (flow.h) */
    uint32_t flow_count;
    uint32_t first_of_sources; /* items from here on were brought along by sources */
    ArgumentNotes *notes;
    const char *sentence; /* what the kernel does; NULL: not asked for yet */
    const char *facts[12];
    uint32_t fact_count;
    uint32_t casting_count;
    const Scene *joined; /* that is cast right now, beside others that it has nothing to do with */
    const Law *used[MAX_DRAFT_FUNCTIONS * 2];
    uint32_t used_count;
    uint32_t kernel;                  /* its symbol */
    uint32_t base;                    /* the symbol of the scene's first parameter */
    uint32_t style_scope;             /* of the function that is being styled */
    uint32_t salt;                    /* decides what is chosen once for several names */
    const Entity *entities[MAX_DIMS]; /* that the launch runs over; of a single thread, what it is about */
    const Entity *world;              /* that spread_worlds() put before them; NULL: none */
    uint32_t dims;                    /* of wp.tid(); 0: a single thread, which does not ask for its index */
    uint32_t tid[MAX_DIMS];           /* the symbols of the thread's indices */
    NodeList module, body;
    uint32_t dim[MAX_DIMS + 1], launch_dims;
    uint32_t block_dim;     /* threads of a block; 0: no tiles */
    uint32_t row_start;     /* the symbol of where the thread's own components start; 0: it has no name */
    uint32_t flat_thread;   /* the symbol of a thread's number on a grid that is counted through; 0: there is none */
    const char *aliases[8]; /* types with a name of the module's own */
    uint32_t alias_count;
    bool is_short;         /* glue that nothing is added to */
    bool module_options;   /* wp.set_module_options({"enable_backward": False}) */
    const char *open_type; /* of a generic kernel: what Any stands for; NULL: it is none (generic.c) */
    bool open_arrays;      /* Any is the array itself */
    bool has_generics;     /* Any is imported */
    bool strided;          /* each thread has several elements */
    bool padded;           /* the launch has more threads than there is work for */

    /* Everything above starts as zeros; of these, only what is counted is ever read. */
    Casting castings[MAX_CASTINGS];
    Item items[MAX_ITEMS];
    Count counts[MAX_COUNTS];
    DraftFunction functions[MAX_DRAFT_FUNCTIONS];
    DraftConstant constants[MAX_DRAFT_CONSTANTS];
    Argument arguments[MAX_ARGUMENTS];
    Symbol symbols[MAX_SYMBOLS];
} Draft;

_Noreturn void give_up_draft(Draft *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- choices of chance (random.c) ---- */

static inline bool perhaps(Draft *d, double probability)
{
    return rng_chance(&d->rng, probability);
}
double nice_value(Rng *rng, double low, double high); /* as a person would write it */

/* ---- trees (tree.c) ---- */

Node *draft_new(Draft *d, NodeKind kind);
Node *draft_name(Draft *d, uint32_t symbol);
Node *draft_word(Draft *d, const char *text); /* a name that stays */
Node *draft_wp(Draft *d, const char *name);
Node *draft_int(Draft *d, int64_t value);
Node *draft_float(Draft *d, double value);
Node *draft_string(Draft *d, const char *text);
Node *draft_call(Draft *d, Node *function, Node *const *args, uint32_t count);
Node *draft_keyword(Draft *d, const char *name, Node *value);
Node *draft_binary(Draft *d, OpKind op, Node *left, Node *right);
Node *draft_compare(Draft *d, OpKind op, Node *left, Node *right);
Node *draft_subscript(Draft *d, Node *value, Node *index);
Node *draft_attribute(Draft *d, Node *value, const char *name);
Node *draft_assign(Draft *d, Node *target, Node *value);
Node *draft_statement(Draft *d, Node *value);
Node *draft_comment(Draft *d, const char *text);
/* What a comment begins with that stands behind the next statement, where there is room. */
#define TRAILING_COMMENT "#\\ "
Node *draft_copy(Draft *d, const Node *node);
void draft_push(Draft *d, NodeList *list, Node *node);
void draft_insert(Draft *d, NodeList *list, uint32_t at, const NodeList *more);

/* Every place of a child, expressions and statements; a visitor may put something else there. */
typedef void SlotVisitor(Node **slot, void *user);
void draft_inner_slots(Node *node, SlotVisitor *visit, void *user);
/* Half of all nodes are names and numbers: that they have no child is told without a call. */
static inline void draft_slots(Node *node, SlotVisitor *visit, void *user)
{
    if (node->kind != NODE_NAME && node->kind != NODE_CONSTANT)
        draft_inner_slots(node, visit, user);
}
/* Every list of statements in a statement. */
typedef void ListVisitor(NodeList *list, void *user);
void draft_lists(Node *node, ListVisitor *visit, void *user);
uint32_t draft_uses(Node *node, uint32_t symbol); /* how often it is mentioned */
bool draft_is_simple(const Node *node);           /* a name, a number: may be written twice */
Name builtin_called(const Node *node);            /* the f of wp.f(…); NULL: it is something else */
bool is_wp_call(const Node *node, const char *name);
bool is_atomic_call(const Node *node);
bool is_plain_assignment(const Node *node); /* x = … */
uint32_t assigned_symbol(const Node *assignment);
const Node *root_of(const Node *place); /* the a of a[i].x[k] */
bool is_comment(const Node *node);
Item *item_of(Draft *d, const Node *name); /* NULL: it names something else */

/* ---- symbols (name.c) ---- */

uint32_t symbol_new(Draft *d, SymbolKind kind, uint32_t scope, const char *names);
/* Symbols for the names of a body from its i-th local on; names of a group get the same column. */
uint32_t column_of(const Draft *d, const Body *body, uint32_t local, uint32_t salt);
void name_symbols(Draft *d);
/* A variable for an element of an array (name_element.c). */
uint32_t element_symbol(Draft *d, const Item *item, const Node *index);
size_t element_name(Draft *d, const Symbol *symbol, uint32_t turn, char *out, size_t room);
/* What a variable with the value of an item may be called. */
const char *value_names(Draft *d, const Item *item);
/* What an item is called, also in a struct; before names are given: what the scene calls it. */
const char *name_of_item(const Draft *d, const Item *item);
const char *drawn_name_of_item(const Draft *d, const Item *item); /* without the author's spelling */
const char *core_of_item(const Draft *d, const Item *item);       /* and without what goes before and behind */

/* ---- passes ---- */

/* The statements of a body with its choices made; symbols for its names are made from `base` on. Choices of a scene are
 * noted in the draft. */
typedef struct Resolver {
    Draft *d;
    const Body *body;
    uint32_t base; /* symbol of its first name */
    double *decisions;
    bool *decided;
} Resolver;
void resolve_statements(Resolver *r, const NodeList *from, NodeList *to);
Node *resolve_expression(Resolver *r, const Node *node);

void choose_scene(Draft *d);
const Entity *cast_entity(const Draft *d, const Entity *entity); /* what some(...) comes to (cast.c) */
void cast_scene(Draft *d, const Scene *scene, const char *prefix, Casting *casting);
void drop_unused(Draft *d);
bool is_thread_statement(const Node *node);           /* i = wp.tid() */
bool is_own_index(const Draft *d, const Node *slice); /* the indices of the thread, all of them in order */
void compose_scenes(Draft *d);
void spread_worlds(Draft *d); /* many worlds at once (worlds.c) */
void make_masks_optional(Draft *d);
void share_data(Draft *d); /* x[owner[i]] in place of x[i] (shared.c) */
/* What the elements of an array belong to: of worlds only where there is nothing else. */
const Entity *entity_of_elements(const Draft *d, const Item *item);
const Entity *own_entity(const Draft *d); /* what the scene is about, without worlds */
void make_flags_bits(Draft *d);           /* flags[i] & ACTIVE in place of mask[i] (flag_bits.c) */
void make_flags_bool(Draft *d);
void choose_sizes(Draft *d);
void choose_launch(Draft *d);
void add_guard(Draft *d);
uint32_t count_symbol(Draft *d, const Entity *entity, uint32_t number);
Count *count_of(Draft *d, const Entity *entity, uint32_t number);
void extend_plan(Draft *d);
void use_second_arrays(Draft *d); /* x_new[i] = …, where x[i] was changed in place (second_array.c) */
void write_laws(Draft *d);
void name_extents(Draft *d); /* constants for the lengths of fixed axes (extent.c) */
void lay_out_data(Draft *d);
void lay_out_structs(Draft *d);   /* some items go into structs (layout_struct.c) */
void lay_out_results(Draft *d);   /* results as fields of one struct (layout_output.c) */
void lay_out_tables(Draft *d);    /* tables of indices and rows (layout_table.c) */
void flatten_launch(Draft *d);    /* threads of a grid counted through (layout_grid.c) */
void lay_out_grid(Draft *d);      /* arrays over a grid row after row */
void stride_threads(Draft *d);    /* fewer threads than elements */
void lay_out_vectors(Draft *d);   /* vectors component by component (layout_vector.c) */
void name_own_elements(Draft *d); /* p = particles[i], then p.x (layout_local.c) */
void rewrite_access(Draft *d);    /* after both: a[i].x, a[3 * i + k], … */
bool is_only_indexed(Draft *d, uint32_t symbol);
const char *plain_role(Draft *d, const Item *item);

void outline_functions(Draft *d);
void apply_style(Draft *d);
void style_tiles(Draft *d);  /* the same for kernels with tiles (style_tile.c) */
void choose_tiles(Draft *d); /* lengths of tiles, and threads of a block (tile.c) */
void finish_draft(Draft *d, SynthSample *sample);
void lay_out_text(const Draft *d, const Text *plain, Text *out); /* lines broken as formatters do (text.c) */
/* describe.c */
/* The words of a scene (its sentence, its titles) without what stands in braces and does not hold for this kernel. */
const char *true_words(Draft *d, const Casting *casting, const char *words);
const char *describe_kernel(Draft *d); /* one sentence: for the docstring */
void describe_sample(Draft *d, const Node *module, SynthSample *sample);
/* phrase.c */
const char *phrase_of_item(Draft *d, const Item *item); /* "mass", "number of bounces", "active flag" */
/* The same by the parameter's own name: "wind velocity", "allowance". `shared`: another one has the same quantity. */
const char *role_phrase_of_item(Draft *d, const Item *item, bool shared);
/* What a word of a name means: in a sentence (role_words.def), or in the other spelling (name_words.def); NULL: it is not known. */
typedef enum WordKind {
    WORD_SHORT,
    WORD_NOUN,
    WORD_PLAIN,
    WORD_BRIEF,   /* velocity: vel */
    WORD_WRITTEN, /* vel: velocity */
    WORD_VERB
} WordKind;
const char *word_meaning(const Draft *d, WordKind kind, const char *word);
/* "mass of each particle", "number of particles" */
const char *words_of_item(Draft *d, const Item *item);
const char *count_in_words(Draft *d, const Count *count);
Habits random_habits(Draft *d);
Node *kernel_decorator(Draft *d); /* signature.c */
void note_arguments(Draft *d);    /* once everything has its name */
const char *kernel_docstring(Draft *d);

/* float32 = wp.float32 (alias.c) */
Node *spell_wp_type(Draft *d, const char *type);
void use_aliases(Draft *d, NodeList *module);
void add_aliases(Draft *d, NodeList *module);
/* wp.array(dtype=Any), and wp.overload (generic.c) */
void choose_generic(Draft *d);
bool is_open(const Draft *d, const Argument *argument);
Node *spell_open(Draft *d, const Argument *argument);
void add_overload(Draft *d, NodeList *module);
Node *spell_type(Draft *d, const char *type); /* wp.vec3, float, … */
Node *spell_annotation(Draft *d, const char *type, uint32_t ndim);
Node *spell_array(Draft *d, Node *dtype, uint32_t ndim);
const char *type_repr_of(Draft *d, const char *type, uint32_t ndim);
/* Several pieces, one after the other. */
void add_all(Text *out, const char *const *pieces);
#define ADD_ALL(out, ...) add_all((out), (const char *const[]){__VA_ARGS__, NULL})
bool type_is_integer(const char *type);

#endif
