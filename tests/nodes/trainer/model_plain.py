"""Gradient descent on a line, as slow as the environment says: STEP_SECONDS, COMPILE_SECONDS (the first step takes so much
longer), SAVE_SECONDS, RESTORE_SECONDS. Checkpoints are JSON files; the lines about them are Orbax's."""
import json
import os
import random
import time


class Model:
    def __init__(self, folder, index, setting, say):
        self.folder = folder
        self.index = index
        self.say = say
        self.step_seconds, self.compile_seconds = setting("STEP_SECONDS", 0.5), setting("COMPILE_SECONDS", 2.0)
        self.save_seconds, self.restore_seconds = setting("SAVE_SECONDS", 0.4), setting("RESTORE_SECONDS", 1.0)
        self.random = random.Random(1)

    def newest(self):
        saved = [int(name) for name in os.listdir(self.folder) if name.isdigit()]
        return max(saved, default=None)

    def initial(self):
        return [0.0, 0.0]

    def restore(self, step):
        path = f"{self.folder}/{step}"
        started = time.monotonic()
        self.say(f"[process={self.index}] [sync] Started load checkpoint @ {path}.")
        time.sleep(self.restore_seconds)
        with open(path, encoding="utf-8") as file:
            weights = json.load(file)
        self.say(f"[process={self.index}] [sync] Finished load in {time.monotonic() - started:.2f} seconds @ {path}")
        return weights

    def save(self, step, weights):
        path = f"{self.folder}/{step}"
        started = time.monotonic()
        self.say(f"[process={self.index}] [sync] Started save checkpoint @ {path}.")
        time.sleep(self.save_seconds)
        with open(path + ".tmp", "w", encoding="utf-8") as file:
            json.dump(weights, file)
        os.replace(path + ".tmp", path)
        self.say(f"[process={self.index}] [sync] Finished save in {time.monotonic() - started:.2f} seconds @ {path}")
        self.say(f"[step={step}] Finished synchronous save.")

    def step(self, weights, first):
        """(new weights, loss)"""
        x = self.random.random()
        error = weights[0] * x + weights[1] - (3 * x + 1)
        time.sleep(self.step_seconds + (self.compile_seconds if first else 0))
        return [weights[0] - 0.5 * error * x, weights[1] - 0.5 * error], error * error

    def finish(self):
        pass
