#!/usr/bin/env python3
"""weft.ray on a local cluster, a worker killed in the middle: the same files as weft produce. Needs `ray`, here or in the environment of tools/loaders.sh.

    tests/python/test_ray.py --candidates 202000 --shard-rows 2000 --keys-per-task 10000 --kill-after 60 -- --no-verify
"""

import argparse
import filecmp
import importlib.util
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

import package_env

if importlib.util.find_spec("ray") is None:
    made = subprocess.run([package_env.ROOT / "tools/loaders.sh", "ray"], capture_output=True, text=True)
    if made.returncode != 0 or os.environ.get("WEFT_IN_RAY"):
        print(f"skipped: ray is not installed: {made.stderr.strip()}")
        sys.exit(77)
    own = str(package_env.ROOT / made.stdout.strip())
    os.execve(own, [own, *sys.argv], dict(os.environ, WEFT_IN_RAY="1"))


def kill_worker(work, seconds, killed):
    """The first worker that runs weft for this test after so many seconds of records being made, and what it runs."""
    begun = None
    while not killed:
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes().split(b"\0")
                parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except (OSError, IndexError, ValueError):
                continue
            if b"produce" in words[1:2] and any(os.fsencode(work) in word for word in words):
                begun = begun or time.monotonic()
                if time.monotonic() < begun + seconds:
                    continue
                os.kill(parent, signal.SIGKILL)
                os.kill(int(folder.name), signal.SIGKILL)
                killed.append(parent)
                return
        time.sleep(0.02)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--candidates", type=int, default=60)
    parser.add_argument("--shard-rows", type=int, default=15)
    parser.add_argument("--keys-per-task", type=int, default=40)
    parser.add_argument("--kill-after", type=float, default=0, metavar="SECONDS")
    parser.add_argument("options", nargs="*", default=["--no-readable"], help="of weft produce")
    args = parser.parse_args()
    os.environ.update(PYTHONPATH=str(package_env.PACKAGE), WEFT=package_env.COMMAND, RAY_USAGE_STATS_ENABLED="0", RAY_DEDUP_LOGS="0")
    import ray

    import weft.ray

    with tempfile.TemporaryDirectory(prefix="weft-ray-") as name:
        work, killed = pathlib.Path(name), []
        ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False, logging_level="error")
        threading.Thread(target=kill_worker, args=(work, args.kill_after, killed), daemon=True).start()
        weft.ray.produce(work / "tasks", args.candidates, seed=3, shard_rows=args.shard_rows, keys_per_task=args.keys_per_task, options=args.options)
        ray.shutdown()
        subprocess.run([package_env.COMMAND, "produce", "--candidates", f"0:{args.candidates}", "-s", "3", "--shard-rows", str(args.shard_rows), *args.options,
                        "-o", work / "one"], check=True, stderr=subprocess.DEVNULL)
        one, tasks = ({path.name for path in (work / folder).iterdir()} - {"run.json"} for folder in ("one", "tasks"))
        assert one == tasks, f"{sorted(one)} and {sorted(tasks)}"
        _, others, lost = filecmp.cmpfiles(work / "one", work / "tasks", one, shallow=False)
        assert not others and not lost, f"other bytes: {others + lost}"
        assert killed and not (work / "tasks.tasks").exists(), "no worker was killed, or something is left"
        pairs = json.loads((work / "one/manifest.json").read_text())["rows"]
    print(f"weft.ray: {args.candidates} candidates, {pairs} pairs, worker {killed[0]} killed, the files of weft produce")


if __name__ == "__main__":
    main()
