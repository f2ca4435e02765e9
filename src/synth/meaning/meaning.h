/* Kernels with a meaning.
 *
 * A *quantity* says what a value is (a mass, a position, a probability), an *entity* of what (a particle, a pixel), a
 * *law* how one quantity follows from others, and a *scene* is a kernel that a person wrote once, with holes and
 * choices. All of these are data: quantities.def, and Python files in laws/ and scenes/, embedded in the program and
 * parsed, each definition when it is first needed, by weft's own parser. docs/how-to/add-a-scene.md is the guide for their authors.
 *
 * A sample is a *draft* that goes through a few passes (draft.h): choices are made, laws are written out, the plan puts
 * further laws before and behind the scene, data is laid out, the author's habits are applied, things get their names. */
#ifndef WEFT_SYNTH_MEANING_MEANING_H
#define WEFT_SYNTH_MEANING_MEANING_H

#include "base/rng.h"
#include "front/ast.h"
#include "lang/dialect.h"
#include "synth/synth.h"

typedef struct Quantity {
    const char *id, *type, *unit;
    double low, high;                       /* of every scalar in it */
    const char *arrays, *locals, *settings; /* names, "a|b|c"; @ stands for the entity */
    const char *phrase;                     /* as a sentence has it: "mass" */
} Quantity;

typedef struct Entity {
    const char *id;
    const char *one, *indices, *counts; /* names, "a|b|c" */
} Entity;

const Quantity *quantity_table(uint32_t *count);
const Entity *entity_table(uint32_t *count);
bool is_alternative(const char *alternatives, const char *word, size_t len); /* of "a|b|c" */
/* Is that what such values are called, as x, pos or pos_out of positions? A letter or two say less than the quantity does. */
bool is_word_of_quantity(const Quantity *quantity, const char *role);
const char *entity_plural(Arena *arena, const char *one);

/* ---- texts of laws and scenes ---- */

/* A definition in one of the files. */
typedef struct Chunk {
    const char *path; /* "scenes/physics.py" */
    const char *text;
    size_t len;
    uint32_t line; /* of its first line in the file */
} Chunk;

enum {
    MAX_CHOICES_OF_SCENE = 64,
    MAX_LOCALS = 128,
    MAX_PARTS = 24,
    MAX_MEMBERS = 12,
    MAX_LAW_PARAMS = 10,
    MAX_LENGTHS = 8,
    MAX_DIMS = 4,
    MAX_SOME = 16
};

/* node->fact of a number that its author wrote as 0x3f; no symbol has it. */
enum { HEXADECIMAL = 1 };

/* A function of a file with its names numbered: node->fact of a name is its number and one; of a choice its place in
 * the draft's list of decisions. */
typedef struct Body {
    Node *function;
    uint32_t local_count, param_count; /* parameters come first */
    Name *locals;
    const char **names;    /* alternatives, or NULL */
    const uint8_t *groups; /* names of one group are chosen together: the same alternative of each */
    uint32_t choice_count;
    const char *tags[MAX_CHOICES_OF_SCENE]; /* what the choices are called; NULL: nothing */
} Body;

typedef enum AxisKind { AXIS_ENTITY, AXIS_FIXED } AxisKind;
typedef struct Axis {
    const Entity *entity; /* NULL: a fixed extent */
    uint32_t number;      /* which axis of the entity: a grid of cells has two or three */
    uint32_t extent;
    uint32_t
        tile; /* the part that is the length of a tile, and one: of a fixed axis, or for each of the entity; 0: none */
    uint32_t more; /* offsets have one element more, what is read with a halo some */
} Axis;

typedef enum PartKind { PART_EACH, PART_INDEX, PART_OFFSETS, PART_KIND, PART_SETTING, PART_TILE } PartKind;
typedef enum PartRole { PART_IN, PART_OUT, PART_ADD, PART_INOUT } PartRole;

/* A parameter of a scene: what it is, not how it comes out. */
typedef struct Part {
    PartKind kind;
    PartRole role;
    const Quantity *quantity;
    const Quantity
        *some[MAX_SOME]; /* one of these, the same place in all lists of a scene; none: the quantity is known */
    uint32_t some_count;
    const Entity *target; /* of indices and offsets */
    Axis axes[4];
    uint32_t axis_count;
    double low, high;
    double probability; /* that it is there */
    bool fixed;         /* the plan leaves it alone */
    Name members[MAX_MEMBERS];
    uint32_t member_count;                       /* of a kind */
    uint32_t lengths[MAX_LENGTHS], length_count; /* of a tile: one of them */
} Part;

typedef struct Law {
    Chunk chunk;
    Name name;
    const char *says;
    uint64_t topic; /* a bit */
    bool loaded, broken;
    Body body;
    const Quantity *params[MAX_LAW_PARAMS], *results[4];
    const char *param_names[MAX_LAW_PARAMS]; /* what each may be called, "a|b|c" */
    uint32_t result_count;
    const char *titles; /* names of the function */
    bool inlines;       /* its body ends in its only return */
    bool only_inline, only_function;
    bool is_private;     /* for scenes that name it, not for the plan */
    const char *builtin; /* a builtin of newer versions that does the same; NULL: there is none */
    bool is_conditional; /* needs=: it holds only for some values; whoever calls it sees to that */
} Law;

typedef struct Scene {
    Chunk chunk;
    Name name;
    uint32_t categories; /* a bit each */
    bool loaded, broken;
    Body body;
    const Entity *
        entities[MAX_DIMS]; /* of the launch, one for each axis, or one for all; of a single thread, what it is about */
    const Entity *some[MAX_SOME]; /* what the first of them stands for is one of these; none: it is known */
    uint32_t some_count;
    uint32_t entity_count, dims;
    const char *says, *titles, *algorithm;
    bool is_tiled;  /* its indices count blocks of threads, which work on tiles together */
    bool is_ragged; /* the last tile of an array may reach over its end */
    bool is_rare;   /* its samples are alike: drawn less often */
    bool is_lossy;  /* Warp's gradient of most of its samples is wrong: drawn less often */
    bool has_topics;
    unsigned weight; /* how often it is drawn; 0: not asked for yet */
    uint64_t topics; /* of laws that may be put before and behind it, a bit each; without them, those of its own laws */
    Part *parts;
    uint32_t part_count;
    bool stands_alone;       /* it has kinds, or settings that stay as they are: it cannot follow another scene */
    const char **part_names; /* what each may be called, "a|b|c" */
} Scene;

/* Words that mean something in a scene. */
typedef enum SceneWord {
#define WORD(word) WORD_##word,
#include "synth/meaning/scene_words.def"
#undef WORD
    SCENE_WORD_COUNT
} SceneWord;

/* Scenes that run over the same things. */
typedef struct LaunchList {
    const Scene *like;
    uint16_t *scenes;
    uint32_t count;
    struct LaunchList *next;
} LaunchList;

typedef struct Meaning {
    Arena *arena; /* of the context's tables */
    NameTable *names;
    Dialect dialect; /* that kernels are made for */
    Name words[SCENE_WORD_COUNT];
    NameTable reserved;             /* words that no name may be */
    NameTable pure;                 /* builtins whose value depends on their arguments alone */
    HashTable role_words;           /* what words of names mean in a sentence (phrase.c) */
    HashTable quantities, entities; /* by their names */
    HashTable topics;               /* of laws: a number for each name */
    Law *laws;
    uint32_t law_count, law_cap;
    uint16_t *law_of_name; /* by the numbers of names, and one; 0: none */
    bool *is_word;         /* by the numbers of names: is it one of scene_words.def? */
    uint32_t known_names;
    Scene *scenes;
    uint32_t scene_count, scene_cap;
    uint16_t *by_category[CATEGORY_COUNT];
    uint32_t category_scenes[CATEGORY_COUNT];
    unsigned *category_weights[CATEGORY_COUNT]; /* of its scenes; NULL: not asked for yet */
    LaunchList *launches;
    uint16_t *takers;   /* how many scenes take a quantity, once all were read */
    const Law **makers; /* all laws that could be read, once they were asked for */
    uint32_t maker_count;
    bool makers_known;
    char *message; /* what is wrong with the last one that could not be read */
} Meaning;

const Quantity *quantity_find(const Meaning *meaning, Name id); /* NULL: there is none */
const Entity *entity_find(const Meaning *meaning, Name id);

Meaning *synth_meaning(SynthContext *context);
Meaning *meaning_new(Arena *arena, NameTable *names, const Dialect *dialect);
/* Parsed and checked; NULL: meaning->message says where it is wrong. */
const Scene *scene_load(Meaning *meaning, Scene *scene);

/* topic="": nothing is put before, behind or beside it. */
bool is_of_no_topic(const Scene *scene);
const Law *law_load(Meaning *meaning, Law *law);
/* How often each scene of a category is drawn: by how many decisions it has. */
const unsigned *scene_weights(Meaning *meaning, CategoryId category);
Scene *scene_find(Meaning *meaning, const char *name);
Law *law_find(const Meaning *meaning, Name name);                             /* NULL: there is none */
bool scene_word_is(const Meaning *meaning, const Node *call, SceneWord word); /* is it a call of this word? */
/* Does the version of Warp allow what is named, a trait of versions.def or a builtin, `wp.bit_count`? */
bool scene_allows(const Meaning *meaning, const Node *what);

/* One sample of a scene. False: it did not work out; `refusal` says why. */
bool meaning_sample(SynthContext *context, Scene *scene, Rng rng, SynthSample *sample);

#endif
