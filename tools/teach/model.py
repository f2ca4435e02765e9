"""A transformer of the Llama family, as GGUF files describe it, with PyTorch: training, and answers to many prompts at once."""

import dataclasses

import torch
import torch.nn.functional as F
from torch import nn


@dataclasses.dataclass
class Shape:
    layers: int
    width: int
    heads: int
    groups: int  # key and value heads
    hidden: int
    words: int
    base: float
    eps: float

    @property
    def head(self):
        return self.width // self.heads

    @classmethod
    def of(cls, fields, words):
        kind = fields["general.architecture"]
        named = lambda name: fields[f"{kind}.{name}"]
        return cls(named("block_count"), named("embedding_length"), named("attention.head_count"), named("attention.head_count_kv"),
                   named("feed_forward_length"), words, named("rope.freq_base"), named("attention.layer_norm_rms_epsilon"))


def rotate(x, angles):
    """Rotary positions: each two numbers that stand beside each other are a point that is turned by an angle."""
    cos, sin = angles.cos(), angles.sin()
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2).to(x.dtype)


class Block(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        linear = lambda inputs, outputs: nn.Linear(inputs, outputs, bias=False)
        keys = shape.groups * shape.head
        self.attn_norm, self.ffn_norm = nn.RMSNorm(shape.width, eps=shape.eps), nn.RMSNorm(shape.width, eps=shape.eps)
        self.attn_q, self.attn_k, self.attn_v = linear(shape.width, shape.width), linear(shape.width, keys), linear(shape.width, keys)
        self.attn_output = linear(shape.width, shape.width)
        self.ffn_gate, self.ffn_up, self.ffn_down = linear(shape.width, shape.hidden), linear(shape.width, shape.hidden), linear(shape.hidden, shape.width)

    def forward(self, x, angles, mask=None, cache=None, at=0):
        """`cache`: keys and values of the places before `at`, which this call extends."""
        size, length, _ = x.shape
        split = lambda y: y.view(size, length, -1, self.shape.head).transpose(1, 2)
        h = self.attn_norm(x)
        q, k, v = rotate(split(self.attn_q(h)), angles), rotate(split(self.attn_k(h)), angles), split(self.attn_v(h))
        if cache:
            for kept, new in zip(cache, (k, v)):
                kept[:, :, at : at + length] = new
            k, v = (kept[:, :, : at + length] for kept in cache)
        times = self.shape.heads // self.shape.groups
        y = F.scaled_dot_product_attention(q, k.repeat_interleave(times, 1), v.repeat_interleave(times, 1), attn_mask=mask, is_causal=mask is None)
        x = x + self.attn_output(y.transpose(1, 2).reshape(size, length, -1))
        h = self.ffn_norm(x)
        return x + self.ffn_down(F.silu(self.ffn_gate(h)) * self.ffn_up(h))


class Model(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        self.token_embd = nn.Embedding(shape.words, shape.width)
        self.blk = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.output_norm = nn.RMSNorm(shape.width, eps=shape.eps)
        self.output = nn.Linear(shape.width, shape.words, bias=False)
        self.output.weight = self.token_embd.weight
        turns = 1 / shape.base ** (torch.arange(0, shape.head, 2).float() / shape.head)
        self.register_buffer("turns", turns, persistent=False)

    def angles(self, places):
        return places[..., None].float() * self.turns

    def forward(self, tokens):
        y, angles = self.token_embd(tokens), self.angles(torch.arange(tokens.shape[1], device=tokens.device))
        for block in self.blk:
            y = block(y, angles)
        return self.output(self.output_norm(y))

    def take(self, tensors):
        """The weights of a GGUF file, whose names are those of the parts above."""
        weights = {name: torch.from_numpy(values.copy()) for name, values in tensors.items()}
        weights.setdefault("output.weight", weights["token_embd.weight"])
        if not torch.equal(weights["output.weight"], weights["token_embd.weight"]):
            raise ValueError("a model whose last layer is not its first one is not read")
        self.load_state_dict(weights)


def kept(rows, caches, *others):
    """The same for these rows alone."""
    return [tuple(part[rows] for part in cache) for cache in caches], *(other[rows] for other in others)


@torch.no_grad()
def answer(model, prompts, most, end, patience=0.0):
    """The likeliest next words after each prompt, until `end` or `most` words: lists of tokens. Prompts are filled up on their left.

    Prompts whose answer has ended leave the batch as soon as they are half of it. Once no more than the share `patience` of all
    prompts is left, their answers stay as they are."""
    device, count, width = model.token_embd.weight.device, len(prompts), max(map(len, prompts))
    now = torch.full((count, width), end, device=device)
    for row, prompt in enumerate(prompts):
        now[row, width - len(prompt) :] = torch.tensor(prompt, device=device)
    empty = torch.tensor([width - len(p) for p in prompts], device=device)
    shape = model.shape
    room = lambda: torch.zeros(count, shape.groups, width + most, shape.head, device=device, dtype=model.token_embd.weight.dtype)
    caches = [(room(), room()) for _ in model.blk]
    said, at = torch.full((count, most), end, device=device), 0
    row, done = torch.arange(count, device=device), torch.zeros(count, dtype=torch.bool, device=device)
    places = torch.arange(width + most, device=device)
    for step in range(most):
        here = places[at : at + now.shape[1]]
        seen = places[: at + now.shape[1]]
        mask = (seen[None, None] <= here[None, :, None]) & (seen[None, None] >= empty[:, None, None])
        mask = (mask | (seen[None, None] == here[None, :, None]))[:, None]  # the empty places see themselves, or they had nothing to see
        angles = model.angles((here[None] - empty[:, None]).clamp(min=0))[:, None]
        y = model.token_embd(now)
        for block, cache in zip(model.blk, caches):
            y = block(y, angles, mask, cache, at)
        at += now.shape[1]
        now = torch.where(done, end, model.output(model.output_norm(y[:, -1])).argmax(-1))
        said[row, step], done = now, done | (now == end)
        now = now[:, None]
        if step % 16 == 0:
            left = int((~done).sum())
            if left <= patience * count:
                break
            if 2 * left <= len(row):
                caches, row, empty, now, done = kept(~done, caches, row, empty, now, done)
    return [words[: words.index(end)] if end in words else words for words in said.tolist()]
