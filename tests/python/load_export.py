"""Do TRL and verl accept what `weft export` wrote? load_export.py TRL_FOLDER VERL_FOLDER

Runs in an environment of its own (tools/loaders.sh trainers makes it), which has the packages but not torch: nothing is trained.
verl's RLHFDataset needs torch's class Dataset and one tensor; where torch is missing, a stand-in has these.
"""

import importlib.util
import pathlib
import sys
import tempfile
import types


class Tokenizer:
    """Enough of one for verl: characters are tokens."""

    def apply_chat_template(self, messages, add_generation_prompt=False, tokenize=True, **_):
        text = "".join(f"<{m['role']}>{m['content']}" for m in messages)
        return [ord(c) for c in text] if tokenize else text


def check_trl(folder, count):
    import datasets
    from trl.data_utils import is_conversational

    with tempfile.TemporaryDirectory() as cache:
        for config, columns, conversational in (("messages", {"id", "task", "messages"}, True), ("prompt_completion", {"id", "task", "prompt", "completion"}, False)):
            rows = 0
            for split in datasets.load_dataset(str(folder), config, cache_dir=cache).values():
                assert set(split.column_names) == columns, split.column_names
                for row in split:
                    assert is_conversational(row) == conversational, row["id"]
                    rows += 1
            assert rows == count, f"{rows} rows instead of {count}"
            print(f"TRL, {config}: {rows} rows, conversational: {conversational}", flush=True)


def stand_in_for_torch():
    torch = types.ModuleType("torch")
    torch.utils = types.ModuleType("torch.utils")
    torch.utils.data = types.ModuleType("torch.utils.data")
    torch.utils.data.Dataset = type("Dataset", (), {})
    torch.Tensor = type("Tensor", (), {})
    torch.uint8 = "uint8"
    torch.tensor = lambda values, dtype=None: values
    sys.modules.update({"torch": torch, "torch.utils": torch.utils, "torch.utils.data": torch.utils.data})


def verl_dataset_class():
    """RLHFDataset out of verl's own file. The package as a whole needs torch, ray and more, so what it takes from it is put in."""
    try:
        from verl.utils.dataset.rl_dataset import RLHFDataset

        return RLHFDataset
    except ImportError:
        pass
    stand_in_for_torch()
    found = importlib.util.find_spec("verl").submodule_search_locations[0]
    for name in [name for name in sys.modules if name.split(".")[0] == "verl"]:
        del sys.modules[name]
    for name, members in {"verl": {}, "verl.utils": {}, "verl.utils.import_utils": {"load_extern_object": None},
                          "verl.utils.tokenizer": {"build_multimodal_processor_inputs": None, "normalize_token_ids": lambda ids: ids},
                          "verl.utils.fs": {"copy_to_local": lambda src, **_: src}}.items():
        module = types.ModuleType(name)
        module.__dict__.update(members)
        sys.modules[name] = module
    spec = importlib.util.spec_from_file_location("rl_dataset", f"{found}/utils/dataset/rl_dataset.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in [name for name in sys.modules if name.split(".")[0] == "torch"]:
        del sys.modules[name]  # `datasets` would take it for the real one
    return module.RLHFDataset


def check_verl(folder, count):
    import json

    from omegaconf import OmegaConf

    with tempfile.TemporaryDirectory() as cache:
        config = OmegaConf.create({"cache_dir": cache, "max_prompt_length": 10**9, "filter_overlong_prompts_workers": None})
        files = sorted(map(str, folder.glob("*.parquet")))
        data = verl_dataset_class()(files, Tokenizer(), config)
        assert len(data) == count, f"{len(data)} rows instead of {count}"
        for i in range(len(data)):
            row = data[i]
            assert row["raw_prompt"][0]["role"] == "user" and row["data_source"] == "weft/" + row["extra_info"]["task"], i
            assert row["reward_model"]["style"] == "rule" and json.loads(row["reward_model"]["ground_truth"])["answer"], i
            assert row["index"] == row["extra_info"]["index"], i
    print(f"verl: {count} rows", flush=True)


def main():
    count = sum(1 for path in pathlib.Path(sys.argv[1]).glob("messages/*.jsonl") for _ in open(path))
    check_trl(pathlib.Path(sys.argv[1]), count)
    check_verl(pathlib.Path(sys.argv[2]), count)


if __name__ == "__main__":
    main()
