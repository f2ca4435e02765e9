/* Reading a law or a scene: helpers that say where something is wrong. */
#ifndef WEFT_SYNTH_MEANING_LOAD_H
#define WEFT_SYNTH_MEANING_LOAD_H

#include "synth/meaning/meaning.h"

typedef struct Loader {
    Meaning *meaning;
    const Chunk *chunk;
    Source source;
    bool failed; /* the message is of the first mistake */
} Loader;

/* The one function of a chunk; NULL: it cannot be parsed. */
Node *load_function(Loader *loader, Meaning *meaning, const Chunk *chunk);
void load_error(Loader *loader, const Node *node, const char *format, ...) __attribute__((format(printf, 3, 4)));
const char *load_string(Loader *loader, const Node *node); /* "" and an error if it is none */
uint64_t load_topics(Loader *loader, const Node *node);    /* "a|b": a bit for each */
double load_number(Loader *loader, const Node *node);      /* also a negative one */
Name load_name(Loader *loader, const Node *node);          /* of a NODE_NAME */
const Quantity *load_quantity(Loader *loader, const Node *node);
const Entity *load_entity(Loader *loader, const Node *node);
const Node *load_keyword(const Node *call, Name name); /* its value; NULL: there is none */

/* A table of words with blanks between them. */
void names_of_words(NameTable *table, Arena *arena, const char *words);
void reserve_words(Meaning *meaning);      /* that no name may be (name.c) */
void list_pure_builtins(Meaning *meaning); /* tidy.c */
void index_role_words(Meaning *meaning);   /* phrase.c */

/* Numbers the names and choices of a function; its parameters come first. Those of a scene may be kinds with members. */
void load_body(Loader *loader, Node *function, Body *body, const Part *parts, uint32_t part_count);

#endif
