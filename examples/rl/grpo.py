#!/usr/bin/env python3
"""GRPO with the judge as reward, by TRL: grpo.py MODEL SET TASKS OUTPUT [--steps N]

SET is a data set, TASKS the file of `weft tasks SET`, MODEL a folder or a name of the hub. Needs `pip install weft[trl]`."""

import argparse
import pathlib

import datasets
import trl

import weft.rl.trl


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("set", type=pathlib.Path)
    parser.add_argument("tasks", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--group", type=int, default=8, help="answers per task")
    parser.add_argument("--length", type=int, default=2048, help="tokens per answer")
    args = parser.parse_args()
    args.output.mkdir(parents=True, exist_ok=True)
    rows = datasets.Dataset.from_list(weft.rl.trl.rows(weft.rl.read_tasks(args.tasks)))
    config = trl.GRPOConfig(output_dir=str(args.output), max_steps=args.steps, num_generations=args.group, per_device_train_batch_size=args.group,
                            max_completion_length=args.length, logging_steps=1, report_to=[])
    with weft.rl.Judge(set=args.set, tasks=args.tasks, journal=args.output / "journal.jsonl") as judge:
        trl.GRPOTrainer(args.model, reward_funcs=weft.rl.trl.reward(judge), args=config, train_dataset=rows).train()


if __name__ == "__main__":
    main()
