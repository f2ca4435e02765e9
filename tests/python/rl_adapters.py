#!/usr/bin/env python3
"""Adapters of weft.rl in the packages that they are for: rl_adapters.py NAME URL TASKS RIGHT

NAME: verifiers, inspect, trl, verl, or calls, which needs the sources of TRL and verl alone. RIGHT: a file of right answers, by the id of the
task. Runs in an environment of its own, which tests/python/test_rl.py makes."""

import ast
import asyncio
import importlib.util
import inspect
import json
import os
import pathlib
import sys

import weft.rl

WRONG = "I cannot do that."


def tried(tasks, right):
    """Pairs of a task and an answer: right ones and wrong ones."""
    return [(task, text) for task in tasks for text in (right[task["id"]], WRONG)]


def expect(got, wanted, what):
    assert got == wanted, f"{what}: {got}, not {wanted}"


# ---- verifiers ----


def try_verifiers(url, path, tasks, right):
    import verifiers.v1 as vf
    from verifiers.v1.graph import MessageNode

    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples" / "rl"))
    kind = vf.utils.loaders.taskset_class("weft_tasks")
    config = kind.__orig_bases__[0].__args__[1](id="weft_tasks", tasks=path, task={"url": url})
    taskset = vf.load_taskset(config)
    expect([task.data.prompt for task in taskset], [task["prompt"] for task in tasks], "prompts")
    expect([task.key for task in taskset], [task["id"] for task in tasks], "keys")

    async def rewards():
        found = []
        for task in taskset:
            for text in (right[task.data.id], WRONG):
                trace = new_trace(vf, task)
                trace.nodes.append(MessageNode(parent=None, message=vf.UserMessage(content=task.data.prompt)))
                trace.nodes.append(MessageNode(parent=0, message=vf.AssistantMessage(content=text), sampled=True))
                await task.score(trace)
                found.append((trace.reward, trace.metrics["passed"]))
        return found

    expect(asyncio.run(rewards()), [(1.0, 1.0), (0.0, 0.0)] * len(tasks), "rewards")


def new_trace(vf, task):
    """A trace of a rollout of the task, as the package makes it, before the model was asked."""
    from verifiers.v1.trace import AgentInfo, Trace, TraceTask

    fields = {"task": TraceTask(type=type(task).__name__, data=task.data, key=task.key, hash=task.hash)}
    if "agent" in Trace.model_fields and Trace.model_fields["agent"].is_required():
        fields["agent"] = AgentInfo.model_construct()
    return Trace(**fields)


# ---- inspect-ai ----


def try_inspect(url, path, tasks, right):
    import tempfile

    from inspect_ai import eval as run
    from inspect_ai.model import ModelAPI, ModelOutput, get_model, modelapi

    from weft.rl.inspect import weft_tasks

    class Known(ModelAPI):
        """Answers that are known; nothing is asked of a network, tables to count tokens with included."""

        answers = {}

        async def generate(self, input, tools, tool_choice, config):
            return ModelOutput.from_content("known", self.answers[input[-1].text])

        async def count_text_tokens(self, text):
            return len(text)

    modelapi(name="known")(Known)
    prompts = {task["id"]: task["prompt"] for task in tasks}
    for answers, wanted in ((right, 1.0), (dict.fromkeys(right, WRONG), 0.0)):
        Known.answers = {prompts[task]: text for task, text in answers.items()}
        with tempfile.TemporaryDirectory() as folder:
            log = run(weft_tasks(tasks=path, url=url), model=get_model("known/model"), log_dir=folder, display="none")[0]
            expect(log.status, "success", log.error)
            scores = {name: metric.value for score in log.results.scores for name, metric in score.metrics.items()}
            expect(scores["accuracy"], wanted, "accuracy")
            expect({task["kind"] for task in tasks} <= set(scores), True, f"accuracy by kind: {sorted(scores)}")
            expect(all(sample.scores["judged"].explanation for sample in log.samples), True, "words")


# ---- TRL ----


def try_trl(url, path, tasks, right):
    """A step of the trainer with a model of a few random numbers; then its own computation of rewards for answers that are known."""
    import tempfile

    import datasets
    import tokenizers
    import torch
    import transformers
    import trl

    import weft.rl.trl

    words = tokenizers.Tokenizer(tokenizers.models.WordLevel({"<pad>": 0, "<eos>": 1, "<unk>": 2, "a": 3, "b": 4}, unk_token="<unk>"))
    words.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>")
    tokenizer.chat_template = "{% for message in messages %}{{ message['content'][:200] }} {% endfor %}"
    shape = {"vocab_size": 5, "hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 2,
             "pad_token_id": 0, "eos_token_id": 1, "bos_token_id": None}
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**shape))
    rows = datasets.Dataset.from_list(weft.rl.trl.rows(tasks))
    with tempfile.TemporaryDirectory() as folder:
        config = trl.GRPOConfig(output_dir=folder, max_steps=1, num_generations=2, per_device_train_batch_size=2, max_completion_length=8, use_cpu=True,
                                report_to=[], save_strategy="no", bf16=False)
        trainer = trl.GRPOTrainer(model, reward_funcs=weft.rl.trl.reward(weft.rl.Judge(url)), args=config, train_dataset=rows, processing_class=tokenizer)
        trainer.train()
        logged = [entry for entry in trainer.state.log_history if "rewards/weft_judge/mean" in entry]
        expect([entry["rewards/weft_judge/mean"] for entry in logged], [0.0], "the reward of random words")
        chosen = tried(weft.rl.read_tasks(path), right)
        inputs = [{**row, "prompt": row["prompt"]} for task, _ in chosen for row in weft.rl.trl.rows([task])]
        completions = [[{"role": "assistant", "content": text}] for _, text in chosen]
        rewards = trainer._calculate_rewards(inputs, [row["prompt"] for row in inputs], completions, [[1]] * len(chosen))
        expect(torch.as_tensor(rewards).flatten().tolist(), [1.0, 0.0] * len(tasks), "rewards")


# ---- verl ----


class Characters:
    """A tokenizer as far as verl's reward managers need one."""

    def decode(self, ids, skip_special_tokens=True):
        return "".join(map(chr, map(int, ids)))


def try_verl(url, path, tasks, right):
    """The function as verl loads it from its configuration, called by verl's own reward manager."""
    import numpy
    import torch
    from omegaconf import OmegaConf
    from verl import DataProto
    from verl.experimental.reward_loop.reward_manager.naive import NaiveRewardManager
    from verl.trainer.ppo.reward import get_custom_reward_fn

    import weft.rl.verl

    wanted = {"path": "pkg://weft.rl.verl", "name": "compute_score", "reward_kwargs": {"url": url}}
    score = get_custom_reward_fn(OmegaConf.create({"reward": {"custom_reward_function": wanted}}))
    rows = weft.rl.verl.rows(tasks)

    async def rewards():
        manager = NaiveRewardManager(OmegaConf.create({}), Characters(), score)
        found = []
        for (task, text), row in zip(tried(tasks, right), [row for row in rows for _ in range(2)]):
            ids = torch.tensor([list(map(ord, text))])
            data = DataProto.from_dict(
                tensors={"responses": ids, "attention_mask": torch.ones(1, ids.shape[1] + 3, dtype=torch.long)},
                non_tensors={name: numpy.array([row[name]], dtype=object) for name in ("data_source", "reward_model", "extra_info")})
            result = await manager.run_single(data)
            found.append((result["reward_score"], result["reward_extra_info"]["unjudged"]))
        return found

    expect(asyncio.run(rewards()), [(1.0, 0.0), (0.0, 0.0)] * len(tasks), "rewards")


# ---- TRL and verl without torch ----


def calls_of(package, file, name):
    """Names of arguments at each call of `name` in a source file of the package, and whether there are more (**)."""
    folder = pathlib.Path(importlib.util.find_spec(package).origin).parent
    tree = ast.parse((folder / file).read_text())
    found = []
    for node in ast.walk(tree):
        called = getattr(node, "func", None)
        if isinstance(node, ast.Call) and name in (getattr(called, "id", None), getattr(called, "attr", None)):
            names = [word.arg for word in node.keywords]
            if not node.args and len(names) > 1:
                found.append([word for word in names if word])
    return found


def try_calls(url, path, tasks, right):
    """The functions take what the newest sources of TRL and verl call them with, and give numbers for it."""
    import weft.rl.trl
    import weft.rl.verl

    chosen = tried(tasks, right)
    judge = weft.rl.Judge(url)
    for names in calls_of("trl", "trainer/grpo_trainer.py", "reward_func"):
        values = {"prompts": [row["prompt"] for task, _ in chosen for row in weft.rl.trl.rows([task])], "completion_ids": [[1]] * len(chosen)}
        values["completions"] = [[{"role": "assistant", "content": text}] for _, text in chosen]
        got = weft.rl.trl.reward(judge)(**{name: values[name] for name in names}, task_id=[task["id"] for task, _ in chosen])
        expect(got, [1.0, 0.0] * len(tasks), f"TRL, {names}")
        break
    else:
        raise AssertionError("TRL calls no reward function")
    values = {"data_source": "weft", "extra_info": {"num_turns": 1}}
    for task, text in chosen[:2]:
        for names in calls_of("verl", "experimental/reward_loop/reward_manager/naive.py", "compute_score"):
            got = weft.rl.verl.compute_score(**{name: {**values, "solution_str": text, "ground_truth": task["id"]}[name] for name in names}, url=url)
            expect(got["score"], float(text != WRONG), f"verl, {names}")
            break
        else:
            raise AssertionError("verl calls no compute_score")
    names = calls_of("verl", "workers/reward_manager/batch.py", "compute_score")[0]
    inspect.signature(weft.rl.verl.compute_scores).bind(**dict.fromkeys(names))


def main():
    name, url, path, answers = sys.argv[1:]
    os.environ.update({"HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error", "PRIME_DISABLE_VERSION_CHECK": "1"})
    right = json.loads(pathlib.Path(answers).read_text())
    globals()[f"try_{name}"](url, path, weft.rl.read_tasks(path), right)
    print(f"{name}: as it should be")


if __name__ == "__main__":
    main()
