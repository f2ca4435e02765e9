#!/usr/bin/env python3
"""One run of a plan: make the pairs, fine-tune, answer the tasks. It needs PyTorch, NumPy and tokenizers.

    train.py PACK RUN OUT             writes OUT/RUN.answers.jsonl and OUT/RUN.json
    train.py PACK RUN OUT --pairs     makes the pairs alone, in OUT/RUN.work, where the run finds them; the model may still be on its way

PACK is the folder of `tools/teach/pack.py`, with its model. A run without sources answers untrained, with examples before each task."""

import json
import math
import pathlib
import sys
import time

import torch

import files
import gguf
import model as models
import pairs
import words as vocabulary

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
BEGUN = time.monotonic()


def say(*what):
    print(f"[{time.monotonic() - BEGUN:6.1f} s]", *what, flush=True)


def mixed(**options):
    """bfloat16 where there is a GPU."""
    return torch.autocast(DEVICE, torch.bfloat16, enabled=DEVICE == "cuda", **options)


# ---- the pairs ----


def pairs_of(pack, plan, run, n, work):
    """The pairs of source n. Invented ones are kept in `work`: a run that was stopped finds them."""
    source = run["sources"][n]
    if "pairs" in source:
        return [p for p in files.lines_of(pack / source["pairs"]) if p["kind"] in run["kinds"]]
    known = work / f"pairs-{n}.jsonl"
    if not known.exists():
        # An answer about a record may be wrong, or all may be right: the records are the same.
        made = pairs.invent(pack / "weft", work, source["invent"], source["seed"], run["kinds"], plan["form"], source.get("wrong", 0.0))
        files.write_lines(work / "pairs.part", made)
        (work / "pairs.part").rename(known)
    return files.lines_of(known)


class Rows:
    """The rows of a source, all of them before any is taken a second time, in an order that the seed decides."""

    def __init__(self, words, some, length, seed):
        rows, marks, self.fit = vocabulary.rows_of(words, some, length)
        if not len(rows):
            raise SystemExit(f"train.py: no pair of a source has at most {length} tokens")
        self.rows, self.marks = torch.from_numpy(rows), torch.from_numpy(marks)
        self.random, self.order, self.passes = torch.Generator().manual_seed(seed), [], 0

    def take(self, count):
        while len(self.order) < count:
            self.order += torch.randperm(len(self.rows), generator=self.random).tolist()
            self.passes += 1
        chosen, self.order = self.order[:count], self.order[count:]
        return self.rows[chosen], self.marks[chosen]


# ---- training ----


def loss_of(model, tokens, marks):
    """Counts the words of answers alone."""
    scores = model(tokens[:, :-1]).flatten(0, 1).float()
    found = torch.nn.functional.cross_entropy(scores, tokens[:, 1:].flatten(), reduction="none")
    counted = marks[:, 1:].flatten().float()
    return (found * counted).sum() / counted.sum().clamp(min=1)


def batch_of(sources, size):
    """Each source has the same share of the rows."""
    shares = [size // len(sources) + (n < size % len(sources)) for n in range(len(sources))]
    parts = [source.take(share) for source, share in zip(sources, shares) if share]
    return (torch.cat(part).to(DEVICE) for part in zip(*parts))


def rate_at(plan, step, done):
    """It grows for some steps, and then falls along half a cosine to a twentieth."""
    return plan["rate"] * min(1, (step + 1) / plan["warm"]) * (0.05 + 0.475 * (1 + math.cos(math.pi * min(1, done))))


def train(model, sources, plan):
    """{steps, tokens, seconds, losses}; it ends after `tokens` of the plan, or after its `seconds`."""
    fast = torch.compile(model) if DEVICE == "cuda" else model
    optimiser = torch.optim.AdamW(model.parameters(), lr=plan["rate"], betas=(0.9, 0.95), weight_decay=0.05, fused=DEVICE == "cuda")
    per_step, step, start, losses, done = plan["batch"] * plan["length"], 0, time.monotonic(), [], 0.0
    while done < 1:
        if step == 3:
            start = time.monotonic()  # compiling is not counted
        for group in optimiser.param_groups:
            group["lr"] = rate_at(plan, step, done)
        tokens, marks = batch_of(sources, plan["batch"])
        with mixed():
            loss = loss_of(fast, tokens.long(), marks)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        if step % plan["tell"] == 0:
            losses.append([step, round(loss.item(), 4)])
            say("step", step, "loss", losses[-1][1])
        step += 1
        done = (time.monotonic() - start) / plan["seconds"] if plan["seconds"] else step * per_step / plan["tokens"]
    return {"steps": step, "tokens": step * per_step, "seconds": round(time.monotonic() - start, 1), "losses": losses, "passes": [s.passes for s in sources]}


# ---- answers ----


def chat(words, prompt, examples):
    """As the untrained model was tuned to be asked: questions and answers of two who talk."""
    turn = lambda who, text: [vocabulary.BEGIN, *words.tokenizer.encode(f"{who}\n{text}").ids, vocabulary.ASK, *words.tokenizer.encode("\n").ids]
    ids = []
    for example in examples:
        ids += turn("user", example["whole"]) + turn("assistant", f"```cuda\n{example['answer']}\n```")
    return ids + turn("user", prompt) + [vocabulary.BEGIN, *words.tokenizer.encode("assistant\n").ids]


def asked_tasks(words, plan, run, tasks, examples):
    """(the tasks with their tokens, how many are left out as too long). The limit is on the brief prompt, so that all runs are asked the same."""
    wanted = [t for t in tasks if t["kind"] in run["kinds"] and t["set"] in run["sets"]]
    for task, ids in zip(wanted, words.asked([t["prompt"] for t in wanted])):
        task["ids"] = ids
    fit = [t for t in wanted if len(t["ids"]) <= plan["longest"]]
    if not run["sources"]:
        for task in fit:
            task["ids"] = chat(words, task["whole"], [e for e in examples if e["kind"] == task["kind"]])
    return sorted(fit, key=lambda t: (len(t["ids"]), t["set"], t["id"])), len(wanted) - len(fit)


def write_answers(path, model, words, plan, run, tasks):
    end = vocabulary.END if run["sources"] else vocabulary.ASK
    with open(path, "w") as out:
        for start in range(0, len(tasks), plan["together"]):
            some = tasks[start : start + plan["together"]]
            with mixed():
                found = models.answer(model, [t["ids"] for t in some], plan["most"], end, plan["patience"])
            for task, ids in zip(some, found):
                text = words.text(ids)
                fenced = text if not run["sources"] and "```" in text else f"```cuda\n{text}\n```"
                out.write(json.dumps({"set": task["set"], "id": task["id"], "kind": task["kind"], "answer": fenced}) + "\n")
            say("answered", start + len(some), "of", len(tasks))


# ---- a run ----


def main():
    only_pairs = sys.argv[4:] == ["--pairs"]
    if len(sys.argv) != 4 and not only_pairs:
        sys.exit(__doc__)
    pack, name, out = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], pathlib.Path(sys.argv[3])
    plan = json.loads((pack / "plan.json").read_text())
    run = next((r for r in plan["runs"] if r["name"] == name), None) or sys.exit(f"train.py: the plan has no run '{name}'")
    out.mkdir(parents=True, exist_ok=True)
    if only_pairs:
        say("pairs:", [len(pairs_of(pack, plan, run, n, out / f"{name}.work")) for n in range(len(run["sources"]))])
        return
    torch.manual_seed(run["seed"])
    torch.set_float32_matmul_precision("high")
    file = gguf.Reader(pack / plan["model"])
    words = vocabulary.Words(file.fields)
    model = models.Model(models.Shape.of(file.fields, words.count))
    model.take(file.tensors)
    model.to(DEVICE)
    report = {"run": run, "plan": {k: v for k, v in plan.items() if k != "runs"}, "device": torch.cuda.get_device_name() if DEVICE == "cuda" else "cpu", "torch": torch.__version__}
    if run["sources"]:
        made = [pairs_of(pack, plan, run, n, out / f"{name}.work") for n in range(len(run["sources"]))]
        sources = [Rows(words, some, plan["length"], run["seed"] + n) for n, some in enumerate(made)]
        report["sources"] = [{"pairs": len(some), "wrong": sum(p.get("wrong", False) for p in some), "fit": s.fit, "rows": len(s.rows)} for some, s in zip(made, sources)]
        say("pairs:", report["sources"])
        report["training"] = train(model, sources, plan)
        say("trained:", {k: v for k, v in report["training"].items() if k != "losses"})
    model.eval()
    tasks, report["too long"] = asked_tasks(words, plan, run, files.lines_of(pack / "tasks.jsonl"), files.lines_of(pack / "examples.jsonl"))
    report["asked"] = len(tasks)
    write_answers(out / f"{name}.answers.part", model.bfloat16() if DEVICE == "cuda" else model, words, plan, run, tasks)
    (out / f"{name}.json").write_text(json.dumps(report, indent=1) + "\n")
    (out / f"{name}.answers.part").rename(out / f"{name}.answers.jsonl")


if __name__ == "__main__":
    main()
