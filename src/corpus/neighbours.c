#include "corpus/neighbours.h"

#include "base/array.h"

enum { LEARNED = 256 }; /* so many records say which grams are common; as long as there are fewer, all are compared */
enum { WIDEST_GAP = UINT16_MAX };

/* A record: its grams as gaps from one to the next. A gap of WIDEST_GAP is one step on the way, not a gram. */
typedef struct Member {
    uint64_t start; /* in Neighbours.gaps */
    uint32_t gaps, count;
} Member;

enum { BLOCK_MEMBERS = 7 };
typedef struct Block { /* of a list; the last one is the first in line, and may not be full */
    uint32_t next;     /* 0: none */
    uint32_t members[BLOCK_MEMBERS];
} Block;

typedef struct Lists { /* of one split */
    uint32_t *heads;   /* by gram: a block; 0: none */
    uint8_t *used;     /* by gram: members of the first block */
    Block *blocks;
    size_t count, cap;
} Lists;

struct Neighbours {
    Member *members;
    size_t count, cap;
    uint16_t *gaps;
    size_t gap_count, gap_cap;
    Split first_splits[LEARNED];
    uint16_t *commonness; /* by gram: how many of the first members have it */
    Lists lists[SPLIT_COUNT];
    uint64_t *asked;     /* a bit per gram: those of the record that is asked for */
    uint32_t *looked_at; /* by member: number of the last question in which it was compared */
    size_t looked_at_cap;
    uint32_t question;
    GramSet ordered; /* scratch */
};

Neighbours *neighbours_new(void)
{
    Neighbours *neighbours = calloc(1, sizeof *neighbours);
    if (!neighbours)
        return NULL;
    neighbours->commonness = calloc(GRAM_COUNT, sizeof *neighbours->commonness);
    neighbours->asked = calloc(GRAM_COUNT / 64, sizeof *neighbours->asked);
    bool fine = neighbours->commonness && neighbours->asked;
    for (int split = 0; split < SPLIT_COUNT; split++) {
        Lists *lists = &neighbours->lists[split];
        lists->heads = calloc(GRAM_COUNT, sizeof *lists->heads);
        lists->used = calloc(GRAM_COUNT, sizeof *lists->used);
        lists->count = 1; /* block 0 means none */
        fine = fine && lists->heads && lists->used;
    }
    if (fine)
        return neighbours;
    neighbours_free(neighbours);
    return NULL;
}

void neighbours_free(Neighbours *neighbours)
{
    if (!neighbours)
        return;
    for (int split = 0; split < SPLIT_COUNT; split++) {
        free(neighbours->lists[split].heads);
        free(neighbours->lists[split].used);
        free(neighbours->lists[split].blocks);
    }
    free(neighbours->members);
    free(neighbours->gaps);
    free(neighbours->commonness);
    free(neighbours->asked);
    free(neighbours->looked_at);
    gram_set_free(&neighbours->ordered);
    free(neighbours);
}

/* ---- members ---- */

static bool add_gap(Neighbours *neighbours, uint32_t gap)
{
    if (!ARRAY_ROOM(neighbours->gaps, neighbours->gap_count, neighbours->gap_cap))
        return false;
    neighbours->gaps[neighbours->gap_count++] = (uint16_t)gap;
    return true;
}

static bool add_member(Neighbours *neighbours, const GramSet *grams)
{
    Member member = {.start = neighbours->gap_count, .count = (uint32_t)grams->count};
    uint32_t at = 0;
    for (size_t i = 0; i < grams->count; i++) {
        for (; grams->items[i] - at >= WIDEST_GAP; at += WIDEST_GAP)
            if (!add_gap(neighbours, WIDEST_GAP))
                return false;
        if (!add_gap(neighbours, grams->items[i] - at))
            return false;
        at = grams->items[i];
    }
    member.gaps = (uint32_t)(neighbours->gap_count - member.start);
    if (!ARRAY_ROOM(neighbours->looked_at, neighbours->count, neighbours->looked_at_cap) ||
        !ARRAY_ROOM(neighbours->members, neighbours->count, neighbours->cap))
        return false;
    neighbours->looked_at[neighbours->count] = 0;
    neighbours->members[neighbours->count++] = member;
    return true;
}

/* The grams of a member, ascending. */
static bool read_member(const Neighbours *neighbours, const Member *member, GramSet *grams)
{
    const uint16_t *gaps = neighbours->gaps + member->start;
    uint32_t at = 0;
    grams->count = 0;
    for (uint32_t i = 0; i < member->gaps; i++) {
        at += gaps[i];
        if (gaps[i] == WIDEST_GAP)
            continue;
        if (!ARRAY_ROOM(grams->items, grams->count, grams->cap))
            return false;
        grams->items[grams->count++] = at;
    }
    return true;
}

/* `count`: the number of grams in the query. */
static bool is_neighbour(const Neighbours *neighbours, const Member *member, size_t count)
{
    uint64_t less = member->count < count ? member->count : count, more = member->count + count - less;
    if (less * 100 < more * NEIGHBOUR_PERCENT)
        return false;
    const uint16_t *gaps = neighbours->gaps + member->start;
    uint64_t common = 0;
    for (uint32_t i = 0, at = 0; i < member->gaps; i++) {
        at += gaps[i];
        common += gaps[i] != WIDEST_GAP && neighbours->asked[at / 64] >> at % 64 & 1;
    }
    return common * 100 >= (less + more - common) * NEIGHBOUR_PERCENT;
}

/* ---- lists ---- */

/* How many grams of a set of this size are looked up, such that a neighbour has one of them. */
static size_t lookup_count(size_t count)
{
    return count - (count * NEIGHBOUR_PERCENT + 99) / 100 + 1;
}

/* The grams in the order in which they are looked up: the least common first. */
static bool order_grams(Neighbours *neighbours, const GramSet *grams)
{
    size_t places[LEARNED + 2] = {0};
    GramSet *ordered = &neighbours->ordered;
    while (ordered->cap < grams->count)
        if (!array_grow(&ordered->items, &ordered->cap, sizeof *ordered->items))
            return false;
    for (size_t i = 0; i < grams->count; i++)
        places[neighbours->commonness[grams->items[i]] + 1]++;
    for (size_t i = 1; i < LEARNED + 2; i++)
        places[i] += places[i - 1];
    for (size_t i = 0; i < grams->count; i++)
        ordered->items[places[neighbours->commonness[grams->items[i]]]++] = grams->items[i];
    ordered->count = grams->count;
    return true;
}

static bool add_to_list(Lists *lists, uint32_t gram, uint32_t member)
{
    if (!lists->heads[gram] || lists->used[gram] == BLOCK_MEMBERS) {
        while (lists->count >= lists->cap)
            if (!array_grow(&lists->blocks, &lists->cap, sizeof *lists->blocks))
                return false;
        lists->blocks[lists->count].next = lists->heads[gram];
        lists->heads[gram] = (uint32_t)lists->count++;
        lists->used[gram] = 0;
    }
    lists->blocks[lists->heads[gram]].members[lists->used[gram]++] = member;
    return true;
}

static bool add_to_lists(Neighbours *neighbours, const GramSet *grams, uint32_t member, Split split)
{
    if (!order_grams(neighbours, grams))
        return false;
    size_t count = lookup_count(grams->count);
    for (size_t i = 0; i < count; i++)
        if (!add_to_list(&neighbours->lists[split], neighbours->ordered.items[i], member))
            return false;
    return true;
}

/* From now on there are lists. */
static bool learn(Neighbours *neighbours)
{
    GramSet grams = {0};
    bool fine = true;
    for (size_t i = 0; fine && i < LEARNED; i++) {
        fine = read_member(neighbours, &neighbours->members[i], &grams);
        for (size_t j = 0; fine && j < grams.count; j++)
            neighbours->commonness[grams.items[j]]++;
    }
    for (size_t i = 0; fine && i < LEARNED; i++)
        fine = read_member(neighbours, &neighbours->members[i], &grams) &&
               add_to_lists(neighbours, &grams, (uint32_t)i, neighbours->first_splits[i]);
    gram_set_free(&grams);
    return fine;
}

bool neighbours_add(Neighbours *neighbours, const GramSet *grams, Split split)
{
    size_t number = neighbours->count;
    if (number == UINT32_MAX || !add_member(neighbours, grams))
        return false;
    if (number < LEARNED)
        neighbours->first_splits[number] = split;
    if (number + 1 == LEARNED)
        return learn(neighbours);
    return number < LEARNED || add_to_lists(neighbours, grams, (uint32_t)number, split);
}

/* ---- questions ---- */

static bool is_in_list(Neighbours *neighbours, const Lists *lists, uint32_t gram, size_t count)
{
    uint32_t used = lists->used[gram];
    for (uint32_t at = lists->heads[gram]; at; at = lists->blocks[at].next, used = BLOCK_MEMBERS)
        for (uint32_t i = 0; i < used; i++) {
            uint32_t member = lists->blocks[at].members[i];
            if (neighbours->looked_at[member] == neighbours->question)
                continue;
            neighbours->looked_at[member] = neighbours->question;
            if (is_neighbour(neighbours, &neighbours->members[member], count))
                return true;
        }
    return false;
}

/* Are there neighbours in this split? */
static bool is_in_split(Neighbours *neighbours, Split split, size_t count)
{
    if (neighbours->count < LEARNED) {
        for (size_t i = 0; i < neighbours->count; i++)
            if (neighbours->first_splits[i] == split && is_neighbour(neighbours, &neighbours->members[i], count))
                return true;
        return false;
    }
    size_t lookups = lookup_count(count);
    for (size_t i = 0; i < lookups; i++)
        if (is_in_list(neighbours, &neighbours->lists[split], neighbours->ordered.items[i], count))
            return true;
    return false;
}

/* Nearly all records are in train and wanted there: only for the others, that largest split is searched. */
static Split choose(Neighbours *neighbours, size_t count, Split wanted)
{
    bool validation = is_in_split(neighbours, SPLIT_VALIDATION, count);
    bool test = is_in_split(neighbours, SPLIT_TEST, count);
    if (validation && test)
        return SPLIT_COUNT;
    if (!validation && !test)
        return wanted == SPLIT_TRAIN || is_in_split(neighbours, SPLIT_TRAIN, count) ? SPLIT_TRAIN : wanted;
    if (is_in_split(neighbours, SPLIT_TRAIN, count))
        return SPLIT_COUNT;
    return validation ? SPLIT_VALIDATION : SPLIT_TEST;
}

bool neighbours_choose(Neighbours *neighbours, const GramSet *grams, Split wanted, Split *split)
{
    if (!order_grams(neighbours, grams))
        return false;
    for (size_t i = 0; i < grams->count; i++)
        neighbours->asked[grams->items[i] / 64] |= (uint64_t)1 << grams->items[i] % 64;
    if (!++neighbours->question) { /* after four thousand million of them */
        memset(neighbours->looked_at, 0, neighbours->count * sizeof *neighbours->looked_at);
        neighbours->question = 1;
    }
    *split = choose(neighbours, grams->count, wanted);
    for (size_t i = 0; i < grams->count; i++)
        neighbours->asked[grams->items[i] / 64] = 0;
    return true;
}
