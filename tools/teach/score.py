#!/usr/bin/env python3
"""Judges the answers of trained models, and says where and why they fail.

    score.py ANSWERS [--judge FILE] [-o FOLDER] [--hidden-key FILE] [-j N]   ANSWERS: a folder of RUN.answers.jsonl
    score.py compare BEFORE AFTER                                            two results.json: what changed, by run, set and kind

`weft score` judges each file. FOLDER gets results.json and page.html. They have pass rates by run, set, kind and project with Wilson's 95 % intervals.
Reasons of failure are in groups, names and numbers masked, with three examples each. Tasks that were too long to be asked are not counted; the reports of runs have them."""

import argparse
import collections
import html
import json
import math
import os
import pathlib
import subprocess
import sys

import files
import reasons

ROOT = pathlib.Path(__file__).resolve().parents[2]
WEFT = os.environ.get("WEFT", str(ROOT / "build/weft"))


def wilson(passed, count, z=1.959964):
    """The 95 % interval of a share."""
    if not count:
        return 0.0, 1.0
    share, square = passed / count, z * z / count
    middle, half = share + square / 2, z * math.sqrt(share * (1 - share) / count + square / count / 4)
    return max(0.0, (middle - half) / (1 + square)), min(1.0, (middle + half) / (1 + square))


def rate(rows):
    judged = [r for r in rows if r["score"] is not None]
    passed = sum(r["score"] for r in judged)
    low, high = wilson(passed, len(judged))
    return {"passed": passed, "asked": len(judged), "rate": round(passed / max(1, len(judged)), 4), "low": round(low, 4), "high": round(high, 4)}


# ---- judging ----


def judge(name, judged, answers, out, options):
    """The rows of `weft score` for the answers to the tasks of a set, each with its answer."""
    out.mkdir(parents=True, exist_ok=True)
    asked = {a["id"] for a in answers}
    tasks = [t for path in judged["tasks"] for t in files.lines_of(path) if t["id"] in asked]
    files.write_lines(out / f"{name}.tasks.jsonl", tasks)
    files.write_lines(out / f"{name}.answers.jsonl", [{"id": a["id"], "answer": a["answer"]} for a in answers])
    rows = out / f"{name}.rows.jsonl"
    rows.unlink(missing_ok=True)
    done = subprocess.run([WEFT, "score", out / f"{name}.tasks.jsonl", out / f"{name}.answers.jsonl", "--data", judged["set"], "-o", rows, "-q",
                           "--hidden-key", options.hidden_key, *(["-j", str(options.jobs)] if options.jobs else [])], capture_output=True, text=True)
    if not rows.exists():
        sys.exit(f"score.py: {name}: {done.stderr}")
    texts = {a["id"]: a["answer"] for a in answers}
    return [{**row, "answer": texts[row["id"]]} for row in files.lines_of(rows)]


def project_of(judged):
    return {r["id"]: r.get("project") or "invented" for r in files.records(judged["set"])}


def results_of(run, rows, projects):
    """The parts of the table of a run: by set and kind, and by project."""
    parts = collections.defaultdict(list)
    for row in rows:
        parts[(row["set"], row["kind"], "")].append(row)
        parts[(row["set"], row["kind"], projects[row["set"]][row["id"].split("/")[0]])].append(row)
    return [{"run": run, "set": s, "kind": k, "project": p, **rate(some)} for (s, k, p), some in sorted(parts.items()) if p != s]


def score(options):
    judges = json.loads(options.judge.read_text())
    projects = {name: project_of(judged) for name, judged in judges.items()}
    found = {"results": [], "failures": [], "reports": {}}
    for path in sorted(options.answers.glob("*.answers.jsonl")):
        run, rows = path.name.removesuffix(".answers.jsonl"), []
        answers = files.lines_of(path)
        for name in sorted({a["set"] for a in answers}):
            some = [a for a in answers if a["set"] == name]
            rows += [{**r, "set": name} for r in judge(f"{run}.{name}", judges[name], some, options.output / "rows", options)]
        found["results"] += results_of(run, rows, projects)
        for key in sorted({(r["set"], r["kind"]) for r in rows}):
            some = [r for r in rows if (r["set"], r["kind"]) == key]
            found["failures"].append({"run": run, "set": key[0], "kind": key[1], "groups": reasons.grouped(some)})
        report = path.with_name(f"{run}.json")
        found["reports"][run] = json.loads(report.read_text()) if report.exists() else None
    (options.output / "results.json").write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    (options.output / "page.html").write_text(page(found))
    for r in found["results"]:
        if not r["project"]:
            print(line_of(r))
    print(options.output / "page.html")


def line_of(r):
    return f"{r['run']:16} {r['set']:12} {r['kind']:20} {r['project']:18} {r['passed']:5} of {r['asked']:5}  {100 * r['rate']:5.1f} % [{100 * r['low']:.1f}, {100 * r['high']:.1f}]"


# ---- the page ----

STYLE = """body{font:15px/1.5 system-ui,sans-serif;max-width:70em;margin:2em auto;padding:0 1em;color:#1a1a1a;background:#fff}
table{border-collapse:collapse}td,th{padding:.2em .8em;text-align:left;border-bottom:1px solid #ccc}td.n{text-align:right}
pre{background:#f4f4f4;padding:.6em;overflow:auto;max-height:30em}summary{cursor:pointer}tr.all{font-weight:bold}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}pre{background:#252525}td,th{border-color:#444}}"""


def row_of(r):
    cells = [r["run"], r["set"], r["kind"], r["project"] or "all"]
    numbers = [f"{r['passed']} of {r['asked']}", f"{100 * r['rate']:.1f} %", f"{100 * r['low']:.1f} to {100 * r['high']:.1f}"]
    return f"<tr{'' if r['project'] else ' class=all'}>" + "".join(f"<td>{html.escape(c)}</td>" for c in cells) + "".join(f"<td class=n>{n}</td>" for n in numbers) + "</tr>"


def group_of(group):
    parts = [f"<details><summary>{group['count']} × {html.escape(group['message'])}</summary>"]
    for e in group["examples"]:
        why = e["reason"] + (f"\n{e['difference']}" if e["difference"] else "")
        parts.append(f"<p>{html.escape(e['id'])}</p><pre>{html.escape(why)}</pre><pre>{html.escape(e['answer'] or '')}</pre>")
    return "\n".join(parts) + "</details>"


def page(found):
    """One file of HTML that needs no other."""
    failures = [f"<h2>{html.escape(f['run'])}: {html.escape(f['set'])}, {html.escape(f['kind'])}</h2>" + "\n".join(map(group_of, f["groups"])) for f in found["failures"]]
    head = "".join(f"<th>{h}</th>" for h in ("run", "set", "kind", "project", "pass", "share", "95 % interval"))
    return (f"<!doctype html><html lang=en><meta charset=utf-8><title>Why answers fail</title><style>{STYLE}</style><h1>Pass rates</h1>"
            f"<table><tr>{head}</tr>\n" + "\n".join(map(row_of, found["results"])) + "</table>\n<h1>Reasons of failure</h1>\n" + "\n".join(failures) + "</html>\n")


# ---- two results ----


def compare(before, after):
    sides = [{(r["run"], r["set"], r["kind"], r["project"]): r for r in json.loads(pathlib.Path(p).read_text())["results"]} for p in (before, after)]
    print("| run | set | kind | project | before | after | change | intervals |\n| --- | --- | --- | --- | --- | --- | --- | --- |")
    for key in sorted(set(sides[0]) & set(sides[1])):
        a, b = sides[0][key], sides[1][key]
        apart = "apart" if a["high"] < b["low"] or b["high"] < a["low"] else "overlap"
        shown = [f"{r['passed']} of {r['asked']} ({100 * r['rate']:.1f} %)" for r in (a, b)]
        print(f"| {' | '.join([*key[:3], key[3] or 'all'])} | {shown[0]} | {shown[1]} | {100 * (b['rate'] - a['rate']):+.1f} | {apart} |")
    for n, side in enumerate(sides):
        for key in sorted(set(side) - set(sides[1 - n])):
            print(f"only {('before', 'after')[n]}: {line_of(side[key])}")


def main():
    if sys.argv[1:2] == ["compare"] and len(sys.argv) == 4:
        compare(*sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("answers", type=pathlib.Path)
    parser.add_argument("--judge", type=pathlib.Path, default=ROOT / "build/teach/judge.json", help="what pack.py wrote")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=ROOT / "build/teach/results")
    parser.add_argument("--hidden-key", type=pathlib.Path, default=ROOT / "build/teach/judge.key", help="of the hidden launches; one key for results that are compared")
    parser.add_argument("-j", "--jobs", type=int, default=0)
    score(parser.parse_args())


if __name__ == "__main__":
    main()
