#include "corpus/provenance.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_READ = 1 << 16 };

/* ---- files ---- */

/* The beginning of an ordinary file; "" where there is none. */
static const char *read_start(const char *folder, const char *name, char *buffer)
{
    char path[2048];
    struct stat info;
    buffer[0] = 0;
    int len = snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = len < (int)sizeof path ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
    if (fd < 0)
        return buffer;
    ssize_t got = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) ? read(fd, buffer, MOST_READ - 1) : 0;
    buffer[got > 0 ? got : 0] = 0;
    close(fd);
    return buffer;
}

static bool exists(const char *folder, const char *name)
{
    char path[2048];
    struct stat info;
    return snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path && stat(path, &info) == 0;
}

/* Letters, digits and a few signs: what names, versions and licences are made of. */
static void copy_word(char *to, size_t size, const char *from, const char *more)
{
    size_t len = 0;
    while (len + 1 < size && (isalnum((unsigned char)from[len]) || (from[len] && strchr(more, from[len]))))
        len++;
    while (len && strchr(" -", from[len - 1]))
        len--;
    memcpy(to, from, len);
    to[len] = 0;
}

/* ---- pyproject.toml, setup.cfg, METADATA ---- */

/* The text after `key` and the sign at the start of a line; NULL: no line has them. */
static const char *line_value(const char *text, const char *key, char sign)
{
    size_t length = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, length) != 0)
            continue;
        const char *at = line + length + strspn(line + length, " \t");
        if (*at == sign)
            return at + 1 + strspn(at + 1, " \t");
    }
    return NULL;
}

/* The string in "…", {text = "…"} or {file = …} (which says nothing), or the bare word. */
static void read_setting(const char *text, const char *key, char *to, size_t size, const char *signs)
{
    const char *value = line_value(text, key, '=');
    if (!value || *to)
        return;
    if (*value == '{') {
        const char *inner = strstr(value, "text"), *end = strchr(value, '}');
        inner = inner && end && inner < end ? strpbrk(inner, "\"'") : NULL;
        value = inner ? inner : "";
    }
    value += *value == '"' || *value == '\'';
    copy_word(to, size, value, signs);
}

static void read_field(const char *text, const char *key, char *to, size_t size, const char *signs)
{
    const char *value = *to ? NULL : line_value(text, key, ':');
    if (value)
        copy_word(to, size, value, signs);
}

#define NAME_SIGNS "._-"
#define LICENSE_SIGNS ".-+ ()"

static void read_settings(Provenance *p, const char *name, char *version, size_t size, char *buffer)
{
    const char *text = read_start(p->root, name, buffer);
    const char *project = strstr(text, "[project]");
    text = project ? project : text;
    read_setting(text, "name", p->project, sizeof p->project, NAME_SIGNS);
    read_setting(text, "version", version, size, NAME_SIGNS);
    read_setting(text, "license", p->license, sizeof p->license, LICENSE_SIGNS);
}

/* An installed package lies beside a folder with what is known about it. */
static void read_metadata(Provenance *p, const char *package, char *version, size_t size, char *buffer)
{
    DIR *list = opendir(p->root);
    char folder[2048];
    size_t length = strlen(package);
    for (struct dirent *entry; list && (entry = readdir(list));) {
        const char *name = entry->d_name;
        if (strncasecmp(name, package, length) != 0 || name[length] != '-' || !strstr(name, ".dist-info"))
            continue;
        snprintf(folder, sizeof folder, "%s/%.400s", p->root, name);
        const char *text = read_start(folder, "METADATA", buffer);
        read_field(text, "Name", p->project, sizeof p->project, NAME_SIGNS);
        read_field(text, "Version", version, size, NAME_SIGNS);
        read_field(text, "License-Expression", p->license, sizeof p->license, LICENSE_SIGNS);
        read_field(text, "License", p->license, sizeof p->license, LICENSE_SIGNS);
    }
    if (list)
        closedir(list);
}

/* ---- git ---- */

static bool is_commit(const char *text)
{
    size_t digits = strspn(text, "0123456789abcdef");
    return digits == 40 || digits == 64;
}

/* HEAD is a commit, or names a branch, which is a file or a line of packed-refs. */
static void read_commit(Provenance *p, char *buffer)
{
    char folder[1200], branch[200];
    snprintf(folder, sizeof folder, "%s/.git", p->root);
    const char *head = read_start(folder, "HEAD", buffer);
    if (strncmp(head, "ref: ", 5) == 0) {
        copy_word(branch, sizeof branch, head + 5, "/._-");
        head = read_start(folder, branch, buffer);
        if (!is_commit(head)) {
            const char *packed = read_start(folder, "packed-refs", buffer), *at = strstr(packed, branch);
            head = at && at - packed >= 41 ? at - 41 : "";
        }
    }
    if (is_commit(head))
        copy_word(p->revision, sizeof p->revision, head, "");
}

/* ---- licences ---- */

/* By a phrase of its text. */
static const char *license_of_words(const char *text)
{
    static const struct {
        const char *phrase, *license;
    } known[] = {
        {"Apache License", "Apache-2.0"},
        {"Permission is hereby granted, free of charge", "MIT"},
        {"MIT License", "MIT"},
        {"Neither the name of", "BSD-3-Clause"},
        {"Redistribution and use in source and binary forms", "BSD-2-Clause"},
        {"Mozilla Public License Version 2.0", "MPL-2.0"},
        {"GNU AFFERO GENERAL PUBLIC LICENSE", "AGPL-3.0-only"},
        {"GNU LESSER GENERAL PUBLIC LICENSE", "LGPL-3.0-only"},
        {"GNU GENERAL PUBLIC LICENSE", "GPL-3.0-only"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strstr(text, known[i].phrase))
            return known[i].license;
    return "";
}

/* Names that are not SPDX's, as older packages have them. */
static void mend_license(char *license, size_t size)
{
    static const struct {
        const char *name, *license;
    } known[] = {{"Apache 2.0", "Apache-2.0"},
                 {"Apache License 2.0", "Apache-2.0"},
                 {"Apache License, Version 2.0", "Apache-2.0"},
                 {"MIT License", "MIT"},
                 {"BSD", "BSD-3-Clause"},
                 {"BSD License", "BSD-3-Clause"},
                 {"BSD 3-Clause License", "BSD-3-Clause"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcasecmp(license, known[i].name) == 0)
            snprintf(license, size, "%s", known[i].license);
    if (strchr(license, ' ') && !strstr(license, " OR ") && !strstr(license, " AND ") && !strstr(license, " WITH "))
        license[0] = 0; /* a sentence */
}

static void read_license_file(Provenance *p, char *buffer)
{
    static const char *const names[] = {"LICENSE", "LICENSE.md", "LICENSE.txt", "LICENSE.rst", "COPYING", "LICENCE"};
    for (size_t i = 0; !p->license[0] && i < sizeof names / sizeof *names; i++)
        snprintf(p->license, sizeof p->license, "%s", license_of_words(read_start(p->root, names[i], buffer)));
}

void license_of_text(const Provenance *provenance, const char *text, size_t len, char *license, size_t size)
{
    static const char mark[] = "SPDX-License-Identifier:";
    const char *at = memmem(text, len < 4096 ? len : 4096, mark, strlen(mark));
    license[0] = 0;
    if (at) {
        at += strlen(mark);
        while (*at == ' ')
            at++;
        copy_word(license, size, at, LICENSE_SIGNS);
    }
    if (!license[0])
        snprintf(license, size, "%s", provenance->license[0] ? provenance->license : "NOASSERTION");
}

/* ---- all of it ---- */

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_site(const char *folder)
{
    return strcmp(last_name(folder), "site-packages") == 0 || strcmp(last_name(folder), "dist-packages") == 0;
}

/* The folder of a project: the nearest one above with a project file, or where packages are installed; else the
 * parent of the outermost package. */
static void find_root(Provenance *p, const char *path, char *package, size_t size)
{
    char at[sizeof p->root], below[200] = "";
    package[0] = 0;
    snprintf(at, sizeof at, "%s", path);
    snprintf(p->root, sizeof p->root, "%s", path);
    bool ended = false;
    for (char *slash; (slash = strrchr(at, '/')) && slash != at;) {
        snprintf(below, sizeof below, "%.150s", slash + 1);
        *slash = 0;
        if (is_site(at)) {
            snprintf(package, size, "%s", below);
            snprintf(p->root, sizeof p->root, "%s", at);
            return;
        }
        if (exists(at, ".git") || exists(at, "pyproject.toml") || exists(at, "setup.cfg") || exists(at, "setup.py")) {
            snprintf(p->root, sizeof p->root, "%s", at);
            return;
        }
        if (exists(at, "__init__.py") && !ended) {
            snprintf(package, size, "%.*s", (int)size - 1, last_name(at));
            snprintf(p->root, sizeof p->root, "%.*s", (int)(last_name(at) - at - 1), at);
        } else
            ended |= package[0] != 0;
    }
    if (!package[0]) { /* a script: its own folder */
        char *slash = strrchr(p->root, '/');
        if (slash)
            *slash = 0;
    }
}

void provenance_find(Provenance *provenance, const char *path)
{
    char package[200], version[80] = "";
    char *buffer = malloc(MOST_READ);
    *provenance = (Provenance){0};
    find_root(provenance, path, package, sizeof package);
    if (buffer) {
        read_settings(provenance, "pyproject.toml", version, sizeof version, buffer);
        read_settings(provenance, "setup.cfg", version, sizeof version, buffer);
        if (package[0])
            read_metadata(provenance, package, version, sizeof version, buffer);
        read_commit(provenance, buffer);
        mend_license(provenance->license, sizeof provenance->license);
        if (!package[0] || exists(provenance->root, "pyproject.toml"))
            read_license_file(provenance, buffer);
    }
    free(buffer);
    if (!provenance->project[0])
        snprintf(provenance->project, sizeof provenance->project, "%.100s",
                 package[0] ? package : last_name(provenance->root));
    if (!provenance->revision[0])
        snprintf(provenance->revision, sizeof provenance->revision, "%s", version);
}
