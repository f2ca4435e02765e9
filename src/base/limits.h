/* Every bound of the compiler and of the readers of data sets, in one place.
 *
 * Beyond a bound a source is refused with a message; nothing is cut off silently. The bounds on depth keep every recursive
 * walk within a stack of 8 MiB, also in a build with sanitizers; the others keep any source within seconds. The memory of one
 * source text is bounded apart from these, by WeftOptions.memory_limit. tests/python/test_limits.py tries them all, and
 * tests/hostile/test_readers.py those of data sets. */
#ifndef WEFT_BASE_LIMITS_H
#define WEFT_BASE_LIMITS_H

enum {
    /* Lexer and parser. */
    LIMIT_SOURCE_SIZE = 64 << 20, /* bytes of one source file, and of what else a command reads beside it */
    LIMIT_INDENTS = 100,          /* as many as Python allows */
    LIMIT_PARSE_DEPTH = 200,      /* of rules that hold themselves */
    LIMIT_PARSE_CHAIN = 1000,     /* links of `a + b + …`, `a.b.c…` or `elif` on a path down the tree */
    LIMIT_SYNTAX_ERRORS = 20,     /* reported for one file */
    LIMIT_SUGGESTIONS = 1000,     /* names of a scope that are looked at for "did you mean" */
    LIMIT_FIELD_NESTING = 2,      /* of f-string fields, as Python has it */
    LIMIT_FIELD_BRACKETS = 200,   /* in an f-string field */
    /* The loader, which runs the module level. */
    LIMIT_LOAD_STEPS =
        200000, /* expressions and statements evaluated, elements looked at: by a kernel, and by the module level
                                * beyond what follows, and one for each byte of its file, which only loops and calls need */
    LIMIT_LOOP_STEPS = 800000,
    LIMIT_LOAD_DEPTH = 1500,  /* of expressions within expressions, through calls */
    LIMIT_LOAD_CALLS = 40,    /* of Python functions within each other */
    LIMIT_IMPORTS = 100,      /* of files that import each other in a row */
    LIMIT_LOAD_ARGS = 64,     /* of one call */
    LIMIT_SEQUENCE = 65536,   /* elements of a list or tuple, and of a dimension of a type */
    LIMIT_COMPOSITE = 4096,   /* elements of a vector or matrix that is a constant */
    LIMIT_TYPE_DEPTH = 32,    /* of types within types */
    LIMIT_INTEGER_BITS = 100, /* of an integer that is computed: far beyond any use */
    /* The builder. One kernel has one budget, whatever the number of its functions. */
    LIMIT_NESTING = 400,        /* of expressions and statements, through the functions that are called */
    LIMIT_FUNCTION_DEPTH = 60,  /* of functions that call each other */
    LIMIT_LOOPS = 64,           /* of loops within each other */
    LIMIT_KERNEL_SIZE = 400000, /* operations and variables of a kernel with its functions, loops unrolled */
    LIMIT_CALL_ARGS = 300,      /* of one call */
    LIMIT_FUNC_PARAMS = 128,    /* of a function, and fields of a struct that is constructed */
    LIMIT_BUILTIN_PARAMS = 16,
    LIMIT_RESULTS = 64,         /* of a function */
    LIMIT_PATH = 12,            /* parts of a dotted name */
    LIMIT_INDICES = 16,         /* of one expression */
    LIMIT_ASSIGN_CHAIN = 16,    /* parts of the target of an assignment */
    LIMIT_STRUCT_PARTS = 10000, /* structs within a struct, counted as often as they occur */
    LIMIT_DIMENSION = 1 << 20,  /* of a vector, matrix or local array */
    /* Data sets. */
    LIMIT_JSON_DEPTH = 2048,          /* of arrays and objects within each other, as jansson has it */
    LIMIT_RECORD_BYTES = 16 << 20,    /* of one record as a line; the longest that weft writes have two MiB */
    LIMIT_GROUP_BYTES = 1 << 29,      /* that a row group of Parquet takes in memory; the longest take 200 MiB */
    LIMIT_FRAME_BYTES = 1 << 28,      /* of a zstd frame, decompressed */
    LIMIT_COMPANION_BYTES = 64 << 20, /* of manifest.json and of what stands beside it */
};

#endif
