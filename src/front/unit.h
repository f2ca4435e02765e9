/* What is compiled together: a source file, the files it uses, and what the loader found in them.
 *
 * Every definition knows its file (`code->scope->file`), so that a second file is as ordinary as the first; that of the functions
 * that Warp itself ships is one. The loader runs the module level of a file the way Python would, as far as it can without
 * Python: constants, types, structs, functions, kernels, and functions that make kernels. It never
 * executes anything; what it cannot follow becomes VALUE_UNKNOWN. */
#ifndef WEFT_FRONT_UNIT_H
#define WEFT_FRONT_UNIT_H

#include "front/files.h"
#include "front/lexer.h"
#include "front/value.h"

typedef struct Binding {
    Name name;
    const Value *value;
} Binding;

struct Scope {
    File *file;           /* where it stands */
    const Scope *parent;  /* NULL: the module */
    bool is_class;        /* its names are not seen by functions defined in it */
    const char *qualname; /* what stands before a name defined here: "make_kernel.<locals>." */
    Binding *bindings;    /* in order of first binding */
    uint32_t count, cap;
    uint32_t *slots;        /* a hash table of the bindings: their numbers from 1 on; 0: free */
    uint32_t slot_count;    /* a power of two, or 0 */
    HashTable global_names; /* that a function binds in its module */
};

/* Why a definition or an annotation cannot be used: what kind of refusal, where in its file, and in which words. */
typedef struct Refusal {
    DiagKind kind;
    const Node *at;
    const char *message, *hint; /* no hint: NULL */
} Refusal;

typedef struct Param {
    Name name;
    const Type *type;           /* of the annotation */
    const Value *default_value; /* NULL: none */
    bool keyword_only;
} Param;

/* A wp.static() call that was evaluated when the function was declared. */
typedef struct StaticValue {
    const Node *call;
    const Value *value;
    const char *code; /* its source, as Warp hashes it */
    uint32_t code_len;
} StaticValue;

/* What a kernel and a function have in common: a definition in its scope. */
typedef struct Code {
    const Node *def;
    const Scope *scope;
    const Refusal *refused; /* why it cannot be compiled, found while loading; NULL: nothing is known against it */
    Param *params;
    uint32_t param_count;
    bool has_return;         /* annotated, and not with None */
    const Type *return_type; /* NULL with has_return: an annotation that is no type */
    const char *source;      /* dedented, from the first decorator to the last line: what is hashed */
    uint32_t source_len;
    uint32_t source_start; /* where it begins in the file */
    const char
        *written; /* as the program has it, where a code transformer made `source` of it; NULL: nothing was changed */
    uint32_t margin; /* columns removed from every line */
    StaticValue *statics;
    uint32_t static_count, static_cap;
    HashTable static_places; /* among them, by call: see code_static() */
    StaticValue *
        told; /* values of wp.static() arguments, by their source, from the program that has the definition (world.h) */
    uint32_t told_count;
    bool statics_told; /* what is not among them is evaluated by a build */
    bool
        binds_no_outer; /* no name of a function around it is one that it binds itself: looked up once for all (world.h) */
    bool has_deferred_statics;
    bool has_unknown_statics; /* among them; Warp may know them */
    StaticValue *deferred;    /* wp.static() calls that the last build evaluated, in order: they are part of the hash */
    uint32_t deferred_count, deferred_cap;
    HashTable constants_read; /* by name, in the last build */
} Code;

typedef struct FuncList {
    Func **items;
    uint32_t count, cap;
    HashTable by_signature; /* places; made anew where it has not as many as the list */
} FuncList;
/* Puts a function into the place of the one with its signature, or behind all others. */
void add_to_overloads(Arena *, FuncList *, Func *);

typedef struct CallableArg { /* a wp.Function parameter bound to its target */
    Name param;
    const Value *target;
} CallableArg;

typedef enum Inlining { INLINE_UNSAID, INLINE_NEVER, INLINE_ALWAYS } Inlining;

struct Func {
    Code code;
    Name key;
    Inlining inlining;             /* what inline= says */
    const char *native;            /* key_N */
    const char *signature;         /* type codes of the parameters, joined by _ */
    Func *head;                    /* the object that the name is bound to: it has the overloads */
    FuncList overloads, templates; /* of a head, in order; both include the head itself where it fits */
    Func *generic_parent;          /* the template this is an instance of */
    Func *custom_grad, *custom_replay;
    bool is_snippet;                                     /* @wp.func_native */
    const Value *snippet, *adj_snippet, *replay_snippet; /* strings, or NULL */
    Scope *attributes;                                   /* that Python gave it; NULL: none */
    bool number_lost;           /* functions of this name may have been made where weft did not follow */
    const char *numbered_after; /* a package that could not be read and may have functions of this name; NULL: none */
    bool skip_forward, skip_reverse;
    bool custom_reverse; /* a @wp.func_grad: its forward body is the reverse of another */
    uint32_t custom_reverse_inputs;
    CallableArg *callables;
    uint32_t callable_count;
    FuncList specializations;            /* for targets of wp.Function parameters */
    const unsigned char *library_digest; /* of a function that Warp ships; NULL: not one of them */
    /* Sticky, as in Warp, where they live as long as the process. */
    bool used_by_backward, force_adjoint, uses_grad;
    uint64_t
        shared_tiles; /* of an instance of a generic function: a bit for each parameter that was a shared tile when it was made */
};

typedef struct KernelOption {
    const char *name;
    const Value *value;
} KernelOption;

/* Parts of the vendor's library for tiles. */
typedef enum LibraryPart { LIBRARY_PRODUCTS, LIBRARY_SOLVERS, LIBRARY_TRANSFORMS } LibraryPart;

typedef struct ModuleOptions {
    bool enable_backward, default_grid_stride, strip_hash, component_overwrites;
    /* For a wp.static() that only a build can tell, Warp builds a module once before it names its kernels. */
    bool built_first, perhaps_built_first;
    uint32_t library_off; /* a bit for each LibraryPart that is not used */
    int64_t max_unroll;
    const char *unsupported; /* an option that changes the text in a way weft does not know */
} ModuleOptions;

typedef struct NamedModule {
    const Value *name; /* a string */
    ModuleOptions *options;
} NamedModule;

typedef struct KernelList {
    Kernel **items;
    uint32_t count, cap;
} KernelList;

struct Kernel {
    Code code;
    Name key;
    KernelOption options[8]; /* sorted by name; what is not said, and what is said as usual, is left out */
    uint32_t option_count;
    const char *option_text; /* all of them as Warp hashes them, from the program that has the kernel; NULL: not told */
    ModuleOptions *module;
    bool is_generic, lacks_types; /* generic, and no statement that was run says for which types */
    const char *signature;        /* of an overload */
    KernelList overloads;         /* of a generic kernel */
    const File *made_by;          /* whose module level was running */
    const File *refused_in;       /* where its refusal points; NULL: where it is defined */
    bool listed;                  /* by unit_kernels */
};

/* How many functions of each key were made so far: their names are numbered. */
typedef struct FunctionCounts {
    HashTable used; /* by key, a uint64_t each */
} FunctionCounts;

typedef enum FileState { FILE_NEW, FILE_LOADING, FILE_LOADED } FileState;

struct File {
    const Source *source;
    const char *module_name; /* dotted; NULL: no other files are read */
    const char *folder;      /* where its package lies */
    bool is_package;         /* an __init__.py, or a folder without one */
    FileState state;
    bool has_facts;         /* its names are those of facts.h, and there may be others */
    const char *unfollowed; /* why its names are not known; NULL: they are */
    DiagList diags;         /* of its module level, where several files are loaded */
    bool has_carriage;      /* the source has \r somewhere */
    bool is_library;        /* not the user's: functions that Warp ships, each loaded on first use */
    bool parsed;            /* as a whole, without a syntax error */
    Node *module;           /* the tree, where it was parsed as a whole */
    TokenList tokens;       /* where unit->keep_tokens asks for them */
    Scope *globals;
    ModuleOptions options; /* kernels of unique modules have their own */
    NamedModule *named;    /* modules that kernels name */
    uint32_t named_count, named_cap;
    bool module_made;        /* the options were taken from wp.config */
    const Node *stopped_at;  /* the statement at which the loader gave up; NULL: none */
    const char *star_import; /* `from X import *` of a module that weft does not know */
    FunctionCounts *counts;
    SourceLines lines;             /* found when a message first needs one */
    struct ExcerptIndex *excerpts; /* made on first use (excerpt.c) */
};

/* A name of a module that was looked up: a kernel asks for few of them, and for each several times. */
enum { FOUND_NAMES = 256 };
typedef struct FoundName {
    const char *module;
    Name name;
    const Value *value; /* NULL: there is none */
} FoundName;

/* Names that units have in common which are compiled one after the other, and what Warp's modules have by those names: the second
 * kernel says little that the first did not. */
typedef struct Vocabulary {
    Arena arena; /* without a limit: what a name takes is less than the nodes that say it */
    NameTable names;
    FoundName *found; /* FOUND_NAMES of them */
} Vocabulary;

typedef struct Unit {
    Arena *arena;    /* of all that the file's kernels may have in common */
    Arena *building; /* of what is made for one kernel: forgotten when the next one's turn comes */
    NameTable *names;
    TypeTable *types;
    const Dialect *dialect; /* that of the builtin table */
    const BuiltinTable *builtins;
    struct WarpTable *warp;      /* names of the warp module; made on first use unless given */
    struct KnownCalls *calls;    /* of types that all units share: see ir.h; NULL: they are kept for a kernel only */
    File *main;                  /* the file whose kernels are compiled */
    File *library;               /* Warp's own functions; NULL: none was used */
    FileStore *files;            /* that may be imported; NULL: none */
    const char *root;            /* the folder at which absolute imports begin */
    const char *folder;          /* of the first main file */
    const ProjectRoots *project; /* more such folders, by that one; NULL: nobody asked so far */
    HashTable modules;           /* Files by dotted name, as in sys.modules */
    File *running;               /* whose module level is being run */
    uint32_t import_depth;       /* of files that import each other */
    uint32_t imports_missed;     /* modules that were not found */
    HashTable parts_of_warp;     /* what imports of its modules have run: see warp_functions.c */
    HashTable lost_numbers;      /* names of functions that may have been made where weft did not follow */
    HashTable lost_functions;    /* definitions of Python functions of which a call was not followed */
    HashTable kernel_calls;      /* calls of wp.Kernel() that were run */
    uint32_t calls_lost;
    bool renames_lost;    /* functions may have been renamed where weft did not follow */
    const char *not_read; /* a package among them that may define functions, after which their numbers are not known */
    ModuleOptions config; /* what new modules start from */
    DiagList diags;
    FunctionCounts counts; /* of the user's files */
    uint32_t steps;        /* of the loader, to end runaway loops */
    uint32_t step_limit;   /* how many there may be: see limits.h */
    uint32_t eval_depth;   /* of expressions that the loader is in */
    uint32_t call_depth;   /* of Python functions that it is in */
    uint32_t handlers;     /* 'try' statements that it is in */
    KernelList kernels;    /* every kernel that was made, in order */
    uint32_t block_dim;    /* threads of a block, on which the types of some tiles depend */
    bool makes_pairs;      /* a file made a type of vectors of two floats itself */
    uint32_t arch;         /* 90 for sm_90: code of the vendor's library for tiles is named; 0: zeros stand for it */
    bool keep_tokens, keep_lines;
    bool keep_types; /* the builder keeps what it finds out about expressions (IrFunction.expressions) */
    Text scratch;
    FoundName *found; /* FOUND_NAMES of them; what they found lives as long as they do */
    struct {
        const Source *source;
        bool mentioned;
    } tiles; /* does the file that was asked about last have the word in it? */
} Unit;

/* Sets up a unit that has nothing but the text of its main file; everything in it lives in `arena`. `files`: what it may import,
 * NULL for nothing. */
void unit_init(Unit *unit, Arena *arena, const BuiltinTable *builtins, const Source *source, FileStore *files);
/* The same of one that imports nothing, with names that were there before. All units that share them have one WarpTable. */
void unit_init_sharing(Unit *unit, Arena *arena, const BuiltinTable *builtins, const Source *source, Vocabulary *);
void vocabulary_trim(Vocabulary *); /* between units: forgets the names if they have become many */
void vocabulary_forget(Vocabulary *);
/* Parses and loads. With unit->files, the packages around the file are loaded first, as Python does, and what they and it import. Errors go to unit->diags; what could be loaded is there nevertheless. */
void unit_load(Unit *unit);
/* Of a unit that was loaded with the __init__.py of a package: makes another file of the package the main one, and loads it unless the
 * package has. False: it must be loaded with a unit of its own; this one is as it was. */
bool unit_enter(Unit *unit, const Source *source);
/* So many steps from here on: those of the module level of a file, or those of a kernel. */
void allow_file_steps(Unit *unit, const Source *source);
void allow_kernel_steps(Unit *unit);
/* A file of the unit, with nothing loaded from it. */
File *file_new(Unit *unit, const Source *source);

/* The kernels that names of the module are bound to, also inside classes, lists and dicts, in the order of the names; of a
 * generic kernel its overloads. Every other kernel of the file is added to unit->diags, with the reason (kernels.c). */
void unit_kernels(Unit *unit, KernelList *out);

Scope *scope_new(Unit *unit, const Scope *parent, const char *qualname); /* in the file of its parent */
void scope_bind(Unit *unit, Scope *scope, Name name, const Value *value);
const Value *scope_find_here(const Scope *scope, Name name);
const Value *scope_find(const Scope *scope, Name name); /* outwards to the module; NULL: not there */

/* ---- evaluation without running (static_eval.c) ---- */

/* Never NULL: VALUE_UNKNOWN says why it is not known. */
const Value *static_eval(Unit *unit, const Node *node, const Scope *scope);
/* VALUE_UNKNOWN with the reason why the file has no such name, and what to do about it. */
const Value *undefined_name(Unit *unit, const Scope *scope, Name name);
/* An attribute of a module, class or value; NULL: there is none. */
const Value *static_attribute(Unit *unit, const Value *object, Name name);
/* A name of another file's module level; VALUE_UNKNOWN says why it is not there. */
const Value *file_attribute(Unit *unit, const File *file, Name name);
/* A dotted path as Warp looks it up in a kernel: the scope, then the warp module, then Python's own names.
 * A missing last attribute leaves the object before it (`missing` is set); NULL: nothing of that name. */
const Value *resolve_path(Unit *unit, const Scope *scope, const Name *parts, uint32_t count, bool *missing);
/* The same as the code of a kernel means it: a constant may be a whole, whatever attribute is asked for. */
const Value *resolve_kernel_path(Unit *unit, const Scope *scope, const Name *parts, uint32_t count, bool *missing);
const Value *static_call(Unit *unit, const Node *call, const Value *callee, const Scope *scope);
const Value *call_python(Unit *unit, const PythonFunc *func, const Value **args, uint32_t count,
                         const Name *keyword_names, const Value **keyword_values, uint32_t keyword_count);

/* ---- the warp module and its friends (warp_module.c) ---- */

/* The names of all known modules, with their values: made once, then only read. */
typedef struct WarpTable WarpTable;
WarpTable *warp_table_new(Arena *arena, TypeTable *types, const BuiltinTable *builtins);
const char *known_module(const char *name); /* NULL: not one whose contents weft knows */

/* What `wp.NAME` is: a type, builtin, constant, … NULL: no such attribute. */
const Value *warp_attribute(Unit *unit, Name name);
const Value *module_attribute(Unit *unit, const char *module, Name name); /* module: from known_module() */

/* Is MODULE.NAME a part of Warp that a program has to import before it is there? */
bool is_followed_package(Unit *unit, const char *module, Name name);
/* Is there something called NAME in the module, so that a kernel that calls it gets Warp's builtin of that name? */
bool module_has_name_of_builtin(const char *module, Name name);
const Value *python_builtin(Unit *unit, Name name);
void import_warp_names(Unit *unit, Scope *scope); /* from warp import * */
/* Functions that Warp ships written in the kernel language (library.c); NULL: none of that name. */
const Value *library_function(Unit *unit, Name name);
const char *library_name_at(uint32_t index); /* NULL: no more */
/* They take the first numbers of their names in every process. */
uint64_t library_uses_of(const Dialect *dialect, Name key);

enum Intrinsic {
    INTRINSIC_NONE,
#define INTRINSIC(id, module, name) INTRINSIC_##id,
#include "front/intrinsic.def"
#undef INTRINSIC
};
bool value_is_intrinsic(const Value *value, int id);

/* ---- declarations (declare.c) ---- */

/* A decorated function, class or kernel; what its name is bound to. */
const Value *declare_function(Unit *unit, const Node *def, Scope *scope);
const Value *declare_class(Unit *unit, const Node *def, Scope *scope);
/* wp.kernel(function), without a decorator. */
const Value *declare_called_kernel(Unit *unit, const Node *call, const Value *function, const Scope *scope);
void signature_of(Unit *unit, const Param *params, uint32_t count, Text *out);
/* The overload of a generic kernel for these types, made if there is none; NULL: there cannot be one, which is an
 * error at `at`, unless that is NULL. */
void find_launches(
    Unit *
        unit); /* in code of the main file that was not run: for generic kernels that have no types (static_launch.c) */
Kernel *kernel_add_overload(Unit *unit, Kernel *kernel, const Type **types, uint32_t count, const Node *at);

/* Where a name in a definition is looked up: a name that it binds itself, or does not use, is not taken from a function around it. */
const Scope *reference_scope(const Code *code, Name name);
/* Does it bind a name that a function around it has, parameters aside? */
bool binds_outer_name(const Code *code);

/* Evaluates the wp.static() calls that do not depend on the code itself; again for each instance of a generic one. */
void code_resolve_statics(Unit *unit, Code *code);
/* NULL: the node is no wp.static() whose value is known before the code is built. */
const StaticValue *code_static(const Code *code, const Node *node);

/* Where to point at in the kernel's file: what stands in another one has its place at the kernel itself. */
uint32_t place_in_kernel(const Code *kernel, const Code *code, uint32_t offset);

/* Source text of a node as it stands in code->source (other lines dedented). */
void code_segment(const Code *code, uint32_t start, uint32_t end, Text *out);
/* Source of the argument of a wp.static() call, on one line. */
void static_code(const Code *code, const Node *argument, Text *out);
/* Evaluates a wp.static() call with the constants of `scope`; VALUE_UNKNOWN if that cannot be done. */
const Value *static_call_value(Unit *unit, const Node *call, const Scope *scope);
const Node *static_argument(const Node *call); /* what is evaluated; NULL: a wrong call */

#endif
