/* Inside the contract: expressions, statements, and which variables are told where they are used. */
#ifndef WEFT_SYNTH_CONTRACT_TELL_H
#define WEFT_SYNTH_CONTRACT_TELL_H

#include "front/ast.h"

enum { MOST_VARIABLES = 256 };

/* A variable of the function that is being told. */
typedef struct Variable {
    Name name;
    uint32_t stores, loads; /* a component of it that is set is a store, too */
    const Node *value;      /* stands in its place; NULL: its name does */
} Variable;

typedef struct Teller {
    Arena *arena;
    Text *out;
    const Node *module;
    Variable variables[MOST_VARIABLES];
    uint32_t variable_count;
    uint32_t depth;
    const Node *thread; /* the statement that the first line has told: i = wp.tid() */
    bool is_kernel, failed, lacks_name;
} Teller;

/* How tightly operators bind, as in lang/op.def; 0: anything may stand there. */
enum { BIND_ANY = 0, BIND_SUM = 9, BIND_UNARY = 11, BIND_ATOM = 14 };

void tell_expression(Teller *t, const Node *node, int bind);
void tell_list(Teller *t, const NodeList *list, const char *between);
/* The name behind `wp.`; NULL: it is something else. */
Name builtin_of(const Node *node);
bool calls_builtin(const Node *node, const char *name);
/* The expression without casts to wp.static(…). */
const Node *without_static(const Node *node);
bool is_number(const Node *node, double value);

/* Counts the variables of a function, and finds those that are told where they are used. */
void find_variables(Teller *t, const Node *function);
Variable *variable_of(Teller *t, const Node *name); /* NULL: it is none */
bool is_told_elsewhere(Teller *t, const Node *statement);
const Node *function_of(const Node *module, const Node *call); /* that the module defines; NULL */
bool is_silent(const Node *statement);                         /* a docstring, a comment, pass */
/* The only statement that needs a sentence; NULL: there are none, or several. */
const Node *only_told(Teller *t, const NodeList *list);

bool is_defined(const Node *module, Name name); /* a function, class or constant of the module */
bool is_class(const Node *module, Name name);
/* A function, class or constant, or a word of Python. */
bool is_known_name(const Node *module, Name name);

void begin_step(Teller *t);
const Node *plain_start(const Node *value);   /* float(0.0): 0.0, which says as much; other types keep their casts */
bool tell_range(Teller *t, const Node *iter); /* "from 0 to n - 1"; false: it is no range */
/* total = 0.0 and the loop that adds to it, told as a sum: the statement behind them; `at`: it is something else. */
uint32_t tell_sum(Teller *t, const NodeList *list, uint32_t at);
bool is_thread(const Node *statement); /* i = wp.tid() */
bool mentions(const Node *node, Name name);

void tell_statements(Teller *t, const NodeList *list);

#endif
