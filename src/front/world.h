/* What a running program has, told by it: the environment of a kernel that exists as an object, not in a file.
 *
 * A World is a list of objects. One is written as the Python expression that makes it where there is one, so that values and types go
 * the way of every other expression; definitions are given by their source text and by what the names in it mean. An object refers
 * to others by their numbers: to earlier ones, and from the names of a definition to any. */
#ifndef WEFT_FRONT_WORLD_H
#define WEFT_FRONT_WORLD_H

#include "front/world_base.h"

#define WORLD_NOTHING UINT32_MAX /* the number of no object */

typedef enum WorldKind {
    WORLD_EXPRESSION, /* text, in which `wp`, `math` and `np` are what they usually are; names: what else it may use */
    WORLD_STRUCT,     /* key; names: the fields and their types; native: the name that Warp gave it */
    WORLD_INSTANCE,   /* of the struct `type`; names: the values of its fields */
    WORLD_ENUM,       /* key; names: the members and their values, functions of the class */
    WORLD_NAMESPACE,  /* key; names: attributes. A module or class, of which a kernel uses only attributes */
    WORLD_OBJECT, /* the same for any other object, of which a kernel can call functions and use nothing else; the key of one that
                         has no name begins with '<' */
    WORLD_FUNCTION,
    WORLD_KERNEL,
    WORLD_UNKNOWN, /* text: why; completes "… is not known: " */
} WorldKind;

typedef struct WorldName {
    const char *name;
    uint32_t object;
} WorldName;

typedef struct WorldNames {
    const WorldName *items;
    uint32_t count;
} WorldNames;

/* The numbers of objects. */
typedef struct WorldList {
    const uint32_t *items;
    uint32_t count;
} WorldList;

/* A kernel or function; its source text is one definition, dedented. */
typedef struct WorldDefinition {
    const char *path;
    uint32_t line;               /* of the file at which the text begins; from 1 */
    WorldNames closure, globals; /* what names of the text mean */
    WorldNames statics;          /* source of wp.static() arguments, with the values that they had */
    WorldNames defaults;         /* of parameters */
    WorldNames attributes;       /* that the program gave a function */
    uint32_t returns;            /* the type of the annotation; WORLD_NOTHING: none */
    const char *written;         /* the text before code transformers changed it; NULL: there are none */
    const char *refused;         /* why it cannot be compiled; NULL: nothing is known against it */
    const char *snippet, *adj_snippet, *replay_snippet;
    WorldList overloads; /* all functions that the name stands for, this one included */
    uint32_t custom_grad, custom_replay;
    int inlining; /* Inlining */
    bool skip_forward, skip_reverse, custom_reverse;
    uint32_t custom_reverse_inputs;
    bool used_by_backward, force_adjoint, uses_grad;
    WorldNames options;      /* of a kernel */
    const char *option_text; /* all of them as Warp hashes them */
    ModuleOptions module;    /* of the module of a kernel */
} WorldDefinition;

typedef struct WorldObject {
    WorldKind kind;
    const char *text;
    size_t length;
    const char *key, *native;
    uint32_t type;
    WorldNames names; /* of a definition: its parameters and their types */
    const WorldDefinition *definition;
} WorldObject;

typedef struct World {
    const WorldObject *objects;
    uint32_t count;
    uint32_t kernel; /* the one to compile */
} World;

/* Makes the objects of the world in a unit whose main file is still empty. NULL: unit->diags says why there is no kernel. */
Kernel *world_load(Unit *unit, WorldBase *base, const World *world);

#endif
