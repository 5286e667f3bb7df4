#!/usr/bin/env python3
"""A language model of characters, trained on the CPU with numpy alone, for the tutorial "Why is my run slow?".

    train.py URL FOLDER STEPS      URL: store.py, the data; FOLDER: checkpoints

The first run loads data between steps and saves rarely and slowly; the environment changes that:
    PREFETCH=1      a thread loads the next shard while the model trains
    SAVE_EVERY=N    steps between checkpoints (300)
    SAVE_PLAIN=1    checkpoints without compression
    DIE_AT=N        the first attempt kills itself at step N, as a kernel that is out of memory would"""
import concurrent.futures
import datetime
import glob
import os
import re
import signal
import sys
import unicodedata
import urllib.request

import numpy as np

CONTEXT, WIDTH, HIDDEN, BATCH, SHARD_STEPS = 24, 48, 1024, 512, 50
SIZES = [(96, WIDTH), (CONTEXT * WIDTH, HIDDEN), (HIDDEN, HIDDEN), (HIDDEN, 96)]


def say(text):
    print(datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds"), text, flush=True)


def shard(url, number):
    """Windows of CONTEXT + 1 characters for SHARD_STEPS steps, out of one shard of the store: the slow part is its way here."""
    with urllib.request.urlopen(f"{url}/{number}") as answer:
        text = re.sub(r"\s+", " ", unicodedata.normalize("NFKD", answer.read().decode("utf-8", "replace")))
    letters = np.clip(np.frombuffer(text.encode("ascii", "replace"), dtype=np.uint8).astype(np.int32) - 32, 0, 95)
    starts = np.random.default_rng(number).integers(0, len(letters) - CONTEXT, (SHARD_STEPS, BATCH, 1))
    return letters[starts + np.arange(CONTEXT + 1)]


class Data:
    def __init__(self, url):
        self.url, self.number, self.batches, self.next = url, None, None, None
        self.pool = concurrent.futures.ThreadPoolExecutor(1) if os.environ.get("PREFETCH") else None

    def batch(self, step):
        number = step // SHARD_STEPS
        if number != self.number:
            say("waiting for data")
            self.batches = self.next.result() if self.next else shard(self.url, number)
            self.number = number
            say("data is there")
            if self.pool:
                self.next = self.pool.submit(shard, self.url, number + 1)
        return self.batches[step % SHARD_STEPS]


def train_step(weights, moments, batch, step):
    """Forward, backward and Adam of a perceptron with two hidden layers over embedded characters."""
    words, target = batch[:, :-1], batch[:, -1]
    x = weights[0][words].reshape(BATCH, -1)
    h1 = np.maximum(x @ weights[1], 0)
    h2 = np.maximum(h1 @ weights[2], 0)
    scores = h2 @ weights[3]
    scores -= scores.max(axis=1, keepdims=True)
    p = np.exp(scores)
    p /= p.sum(axis=1, keepdims=True)
    loss = -np.log(p[np.arange(BATCH), target] + 1e-9).mean()
    p[np.arange(BATCH), target] -= 1
    p /= BATCH
    d2 = (p @ weights[3].T) * (h2 > 0)
    d1 = (d2 @ weights[2].T) * (h1 > 0)
    embedding = np.zeros_like(weights[0])
    np.add.at(embedding, words, (d1 @ weights[1].T).reshape(BATCH, CONTEXT, WIDTH))
    for w, m, g in zip(weights, moments, [embedding, x.T @ d1, h1.T @ d2, h2.T @ p]):
        m[0] += 0.1 * (g - m[0])
        m[1] += 0.001 * (g * g - m[1])
        w -= 0.001 * m[0] / (1 - 0.9 ** (step + 1)) / (np.sqrt(m[1] / (1 - 0.999 ** (step + 1))) + 1e-8)
    return loss


def save(folder, weights, moments, step):
    say(f"saving step {step}")
    write = np.savez if os.environ.get("SAVE_PLAIN") else np.savez_compressed
    with open(folder + "/new.npz", "wb") as file:
        write(file, *weights, *[part for m in moments for part in m])
        file.flush()
        os.fsync(file.fileno())
    os.replace(folder + "/new.npz", f"{folder}/{step}.npz")
    say(f"saved step {step}")


def restore(folder, weights, moments):
    saved = sorted(int(os.path.basename(p)[:-4]) for p in glob.glob(folder + "/[0-9]*.npz"))
    if not saved:
        return 0
    say(f"restoring step {saved[-1]}")
    arrays = list(np.load(f"{folder}/{saved[-1]}.npz").values())
    for i, w in enumerate(weights):
        w[:] = arrays[i]
        moments[i][:] = arrays[len(weights) + 2 * i : len(weights) + 2 * i + 2]
    say(f"restored step {saved[-1]}")
    return saved[-1] + 1


def main(url, folder, steps):
    os.makedirs(folder, exist_ok=True)
    random = np.random.default_rng(0)
    weights = [(random.standard_normal(s) / np.sqrt(s[0])).astype(np.float32) for s in SIZES]
    moments = [np.zeros((2, *s), dtype=np.float32) for s in SIZES]
    every, die_at = int(os.environ.get("SAVE_EVERY", 300)), int(os.environ.get("DIE_AT", -1))
    first = restore(folder, weights, moments)
    data = Data(url)
    for step in range(first, steps):
        loss = train_step(weights, moments, data.batch(step), step)
        say(f"step {step} loss {loss:.4f}")
        if step == die_at and first == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        if (step + 1) % every == 0:
            save(folder, weights, moments, step)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
