"""Text as tokens, with the words of a GGUF file, and pairs as rows of a fixed length."""

import numpy as np
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

END, BEGIN, ASK = 0, 1, 2  # <|endoftext|>, <|im_start|>, <|im_end|>


class Words:
    def __init__(self, fields):
        tokens, merges = fields["tokenizer.ggml.tokens"], fields["tokenizer.ggml.merges"]
        self.tokenizer = Tokenizer(models.BPE({t: i for i, t in enumerate(tokens)}, [tuple(m.split(" ")) for m in merges]))
        self.tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)])
        self.tokenizer.decoder = decoders.ByteLevel()
        self.count = len(tokens)

    def asked(self, prompts):
        return [[BEGIN, *e.ids, ASK] for e in self.tokenizer.encode_batch(prompts)]

    def answers(self, texts):
        return [[*e.ids, END] for e in self.tokenizer.encode_batch(texts)]

    def text(self, ids):
        return self.tokenizer.decode(ids)


def rows_of(words, pairs, length, batch=10000):
    """(rows of tokens, rows of 1 where a token is a part of an answer, pairs that fit), the rows as arrays. Pairs stand one after the other; a row has one
    token more than is read, since each token is asked for after those before it. A pair that is longer than a row is left out."""
    rows, marks, row, mark, fit = [], [], [], [], 0

    def close():
        rows.append(np.array(row + [END] * (length + 1 - len(row)), np.int32))
        marks.append(np.array(mark + [0] * (length + 1 - len(mark)), np.uint8))

    for start in range(0, len(pairs), batch):
        some = pairs[start : start + batch]
        for asked, answer in zip(words.asked([p["prompt"] for p in some]), words.answers([p["answer"] for p in some])):
            if len(asked) + len(answer) > length:
                continue
            fit += 1
            if len(row) + len(asked) + len(answer) > length + 1:
                close()
                row, mark = [], []
            row, mark = row + asked + answer, mark + [0] * len(asked) + [1] * len(answer)
    if row:
        close()
    return np.array(rows), np.array(marks), fit
