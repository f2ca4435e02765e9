/* The files that a source text may import: found, read and parsed once, for all units that ask for them.
 *
 * Reading is the caller's: a command reads a disk, a test or a page reads from memory. Paths are absolute and without `.` and `..`,
 * so that a file has one path. */
#ifndef WEFT_FRONT_FILES_H
#define WEFT_FRONT_FILES_H

#include "front/ast.h"
#include "front/facts.h"

typedef struct StoredFile {
    const char *path;
    Source source; /* its path is the one for messages */
    Node *module;  /* NULL: there is a syntax error */
    DiagList errors;
    bool is_unread; /* there is one, but the caller does not read it, or it is too large */
} StoredFile;

/* A call that is made at the end of every main file that defines the name. */
typedef struct AskedCall {
    Name name;
    Source source; /* an expression; its path is the one for messages */
    bool must_be;  /* the name must be defined */
} AskedCall;

typedef const char *ReadFile(void *user, const char *path, size_t *length);

typedef struct FileStore {
    Arena arena;
    NameTable names; /* of all units that use the store, and the paths */
    ReadFile *read;  /* as WeftReadFile; the text must live as long as the store */
    void *user;
    const char *folder; /* what relative paths begin at, and messages leave out */
    const char **roots; /* where packages are looked for after the importing file's own root */
    uint32_t root_count, root_cap;
    AskedCall *calls;
    uint32_t call_count, call_cap;
    FactList facts;     /* about packages that are not read */
    HashTable files;    /* StoredFile by path; without an item: there is none */
    HashTable projects; /* ProjectRoots by folder */
} FileStore;

/* Folders of a project in which its packages lie. */
typedef struct ProjectRoots {
    const char *roots[4];
    uint32_t count;
} ProjectRoots;

/* `files` is all zeros; its arena may have a recovery point. */
void files_init(FileStore *files, const char *folder, ReadFile *read, void *user);
void files_free(FileStore *files);
void files_add_root(FileStore *files, const char *folder);
void files_add_call(FileStore *files, const char *name, const char *text, bool must_be);

/* NULL: there is no such file. */
const StoredFile *files_find(FileStore *files, const char *path);
bool files_has(FileStore *files, const char *path);
/* Is there one that was not read? */
bool files_is_unread(FileStore *files, const char *path);

const char *files_absolute(FileStore *files, const char *path);
const char *path_folder(Arena *arena, const char *path);                   /* "/a/b" of "/a/b/c.py", "/" of "/a" */
const char *path_join(Arena *arena, const char *folder, const char *name); /* one "/" between them */

/* What absolute imports of the file's own package begin at: the folder above the outermost package. Folders of a package may lack
 * an __init__.py. */
const char *files_package_root(FileStore *files, const char *folder);
/* The __init__.py of the outermost package that a file is in; NULL: it is in none. */
const StoredFile *files_package(FileStore *files, const char *path);
/* From the nearest pyproject.toml, setup.cfg or setup.py upwards: its folder, `src` in it, and where it says that packages are. */
const ProjectRoots *files_project_roots(FileStore *files, const char *folder);

#endif
