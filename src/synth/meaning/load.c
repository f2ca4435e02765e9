/* The embedded files, cut into definitions; the index of scenes by category. */
#include "synth/meaning/load.h"

#include "front/parser.h"
#include "lang/builtin.h"
#include "synth/context.h"

#include "meaning_files.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

static bool starts(const char *at, const char *end, const char *word)
{
    size_t len = strlen(word);
    return (size_t)(end - at) >= len && memcmp(at, word, len) == 0;
}

static const char *line_end(const char *at, const char *end)
{
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    return stop ? stop + 1 : end;
}

/* The name behind the first `def` of a chunk. */
static Name defined_name(Meaning *meaning, const Chunk *chunk)
{
    const char *at = memmem(chunk->text, chunk->len, "\ndef ", 5), *end = chunk->text + chunk->len;
    if (!at)
        return name_cstr(meaning->names, "?");
    at += 5;
    const char *stop = at;
    while (stop < end && (isalnum((unsigned char)*stop) || *stop == '_'))
        stop++;
    return name_of(meaning->names, at, (size_t)(stop - at));
}

/* The categories that stand, as strings, first in the parentheses. */
static uint32_t named_categories(const Chunk *chunk)
{
    const char *at = memchr(chunk->text, '(', chunk->len), *end = chunk->text + chunk->len;
    uint32_t found = 0;
    while (at && ++at < end) {
        while (at < end && isspace((unsigned char)*at))
            at++;
        const char *stop = at < end && *at == '"' ? memchr(at + 1, '"', (size_t)(end - at - 1)) : NULL;
        if (!stop)
            break;
        for (int i = 0; i < CATEGORY_COUNT; i++) {
            const char *name = category_name((CategoryId)i);
            if (strlen(name) == (size_t)(stop - at - 1) && memcmp(name, at + 1, strlen(name)) == 0)
                found |= 1u << i;
        }
        at = stop + 1;
        if (at >= end || *at != ',')
            break;
    }
    return found;
}

static void add_chunk(Meaning *meaning, const Chunk *chunk, bool is_scene)
{
    if (is_scene) {
        Scene *scene = &ARENA_PUSH(meaning->arena, meaning->scenes, meaning->scene_count, meaning->scene_cap);
        *scene = (Scene){.chunk = *chunk, .name = defined_name(meaning, chunk), .categories = named_categories(chunk)};
    } else {
        Law *law = &ARENA_PUSH(meaning->arena, meaning->laws, meaning->law_count, meaning->law_cap);
        *law = (Law){.chunk = *chunk, .name = defined_name(meaning, chunk)};
    }
}

/* A definition begins with its decorator and ends where the next one begins. */
static void index_file(Meaning *meaning, const char *path, const char *text, size_t len)
{
    const char *end = text + len, *from = NULL;
    uint32_t line = 1, from_line = 0;
    bool is_scene = false;
    for (const char *at = text;; at = line_end(at, end), line++) {
        bool scene = starts(at, end, "@scene("), law = starts(at, end, "@law(");
        if (from && (scene || law || at == end)) {
            Chunk chunk = {path, from, (size_t)(at - from), from_line};
            add_chunk(meaning, &chunk, is_scene);
        }
        if (at == end)
            return;
        if (scene || law) {
            from = at;
            from_line = line;
            is_scene = scene;
        }
    }
}

static void index_categories(Meaning *meaning)
{
    for (int category = 0; category < CATEGORY_COUNT; category++) {
        meaning->by_category[category] = ARENA_ARRAY(meaning->arena, uint16_t, meaning->scene_count + 1);
        for (uint32_t i = 0; i < meaning->scene_count; i++)
            if (meaning->scenes[i].categories >> category & 1)
                meaning->by_category[category][meaning->category_scenes[category]++] = (uint16_t)i;
    }
}

/* The first of a name stays. */
static void index_id(Meaning *meaning, HashTable *table, const char *id, uint32_t number)
{
    Name name = name_cstr(meaning->names, id);
    if (!table_has(table, name))
        table_add(table, meaning->arena, name)->number = number;
}

static void index_quantities(Meaning *meaning)
{
    uint32_t count;
    const Quantity *quantities = quantity_table(&count);
    for (uint32_t i = 0; i < count; i++)
        index_id(meaning, &meaning->quantities, quantities[i].id, i);
    const Entity *entities = entity_table(&count);
    for (uint32_t i = 0; i < count; i++)
        index_id(meaning, &meaning->entities, entities[i].id, i);
}

static void index_names(Meaning *meaning)
{
    meaning->known_names = meaning->names->count;
    meaning->law_of_name = ARENA_ARRAY(meaning->arena, uint16_t, meaning->known_names + 1);
    for (uint32_t i = meaning->law_count; i-- > 0;) /* the first of a name stays */
        meaning->law_of_name[meaning->laws[i].name->id] = (uint16_t)(i + 1);
    meaning->is_word = ARENA_ARRAY(meaning->arena, bool, meaning->known_names + 1);
    for (int i = 0; i < SCENE_WORD_COUNT; i++)
        meaning->is_word[meaning->words[i]->id] = true;
}

void names_of_words(NameTable *table, Arena *arena, const char *words)
{
    names_init(table, arena);
    for (const char *at = words; *at;) {
        size_t length = strcspn(at, " ");
        name_of(table, at, length);
        at += length + (at[length] == ' ');
    }
}

Meaning *meaning_new(Arena *arena, NameTable *names, const Dialect *dialect)
{
    static const char *const words[] = {
#define WORD(word) #word,
#include "synth/meaning/scene_words.def"
#undef WORD
    };
    Meaning *meaning = ARENA_NEW(arena, Meaning);
    meaning->arena = arena;
    meaning->names = names;
    meaning->dialect = *dialect;
    for (int i = 0; i < SCENE_WORD_COUNT; i++)
        meaning->words[i] = name_cstr(names, words[i]);
#define MEANING_FILE(path, symbol) index_file(meaning, path, (const char *)symbol, symbol##_size);
    MEANING_FILES
#undef MEANING_FILE
    index_categories(meaning);
    index_quantities(meaning);
    index_names(meaning);
    reserve_words(meaning);
    list_pure_builtins(meaning);
    index_role_words(meaning);
    return meaning;
}

Meaning *synth_meaning(SynthContext *context)
{
    return context->meaning;
}

Scene *scene_find(Meaning *meaning, const char *name)
{
    for (uint32_t i = 0; i < meaning->scene_count; i++)
        if (strcmp(meaning->scenes[i].name->text, name) == 0)
            return &meaning->scenes[i];
    return NULL;
}

Law *law_find(const Meaning *meaning, Name name)
{
    return name->id < meaning->known_names && meaning->law_of_name[name->id]
               ? &meaning->laws[meaning->law_of_name[name->id] - 1]
               : NULL;
}

bool scene_word_is(const Meaning *meaning, const Node *call, SceneWord word)
{
    return call->kind == NODE_CALL && call->call.func->kind == NODE_NAME &&
           call->call.func->name.id == meaning->words[word];
}

bool scene_allows(const Meaning *meaning, const Node *what)
{
    if (what->kind == NODE_ATTRIBUTE)
        return builtin_is_known(&meaning->dialect, what->attribute.attr->text);
    return what->kind == NODE_NAME && *dialect_trait(&meaning->dialect, what->name.id->text);
}

/* ---- messages ---- */

void load_error(Loader *loader, const Node *node, const char *format, ...)
{
    if (loader->failed)
        return;
    loader->failed = true;
    va_list args;
    va_start(args, format);
    const char *message = arena_format_list(loader->meaning->arena, format, args);
    va_end(args);
    SourcePosition at = source_position(&loader->source, node ? node->start : 0);
    loader->meaning->message = arena_format(loader->meaning->arena, "src/synth/meaning/%s:%u:%u: error: %s",
                                            loader->chunk->path, loader->chunk->line + at.line - 1, at.column, message);
}

Node *load_function(Loader *loader, Meaning *meaning, const Chunk *chunk)
{
    *loader = (Loader){.meaning = meaning, .chunk = chunk, .source = {chunk->path, chunk->text, chunk->len}};
    DiagList diags;
    diags_init(&diags, meaning->arena);
    Node *module = parse_module(meaning->arena, meaning->names, &loader->source, &diags);
    if (diags.count) {
        Node place = {.start = diags.first->offset};
        load_error(loader, &place, "%s", diags.first->message);
        return NULL;
    }
    if (module->module.body.count != 1 || module->module.body.items[0]->kind != NODE_FUNCTION_DEF) {
        load_error(loader, module->module.body.count > 1 ? module->module.body.items[1] : NULL,
                   "one function is expected behind @law or @scene");
        return NULL;
    }
    return module->module.body.items[0];
}

const char *load_string(Loader *loader, const Node *node)
{
    if (node->kind == NODE_CONSTANT && node->constant.kind == CONSTANT_STR)
        return node->constant.text;
    load_error(loader, node, "a string is expected");
    return "";
}

uint64_t load_topics(Loader *loader, const Node *node)
{
    Meaning *meaning = loader->meaning;
    uint64_t bits = 0;
    const char *at = load_string(loader, node);
    for (size_t len; *at; at += len + (at[len] == '|')) {
        len = strcspn(at, "|");
        Name name = name_of(meaning->names, at, len);
        const TableSlot *known = table_find(&meaning->topics, name);
        uint32_t number = known ? known->number : meaning->topics.count;
        if (number >= 64) {
            load_error(loader, node, "more than 64 topics");
            return bits;
        }
        table_add(&meaning->topics, meaning->arena, name)->number = number;
        bits |= (uint64_t)1 << number;
    }
    return bits;
}

double load_number(Loader *loader, const Node *node)
{
    if (node->kind == NODE_UNARY_OP && node->unary_op.op == OP_U_SUB)
        return -load_number(loader, node->unary_op.operand);
    if (node->kind == NODE_CONSTANT && node->constant.kind == CONSTANT_FLOAT)
        return node->constant.real;
    if (node->kind == NODE_CONSTANT && node->constant.kind == CONSTANT_INT)
        return (double)constant_integer(node);
    load_error(loader, node, "a number is expected");
    return 0;
}

Name load_name(Loader *loader, const Node *node)
{
    if (node->kind == NODE_NAME)
        return node->name.id;
    load_error(loader, node, "a name is expected");
    return loader->meaning->words[0];
}

const Quantity *load_quantity(Loader *loader, const Node *node)
{
    Name name = load_name(loader, node);
    const Quantity *quantity = quantity_find(loader->meaning, name);
    if (quantity)
        return quantity;
    load_error(loader, node, "there is no quantity '%s' in quantities.def", name->text);
    return quantity_table(&(uint32_t){0});
}

const Entity *load_entity(Loader *loader, const Node *node)
{
    Name name = load_name(loader, node);
    const Entity *entity = entity_find(loader->meaning, name);
    if (entity)
        return entity;
    load_error(loader, node, "there is no entity '%s' in quantities.def", name->text);
    return entity_table(&(uint32_t){0});
}

const Node *load_keyword(const Node *call, Name name)
{
    for (uint32_t i = 0; i < call->call.keywords.count; i++)
        if (call->call.keywords.items[i]->keyword.name == name)
            return call->call.keywords.items[i]->keyword.value;
    return NULL;
}

bool synth_check_scenes(SynthContext *context, Text *errors)
{
    Meaning *meaning = context->meaning;
    bool good = true;
    for (uint32_t i = 0; i < meaning->law_count + meaning->scene_count; i++) {
        bool loaded = i < meaning->law_count ? law_load(meaning, &meaning->laws[i]) != NULL
                                             : scene_load(meaning, &meaning->scenes[i - meaning->law_count]) != NULL;
        if (!loaded)
            text_format(errors, "%s\n", meaning->message);
        good &= loaded;
    }
    return good;
}
