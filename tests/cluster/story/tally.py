"""Counts checks and prints one line for each."""


class Tally:
    def __init__(self):
        self.passed = 0
        self.failed = 0

    def check(self, holds, what, seen=""):
        """One check: `what` is the sentence that must be true, `seen` what was seen instead or in proof."""
        if holds:
            self.passed += 1
        else:
            self.failed += 1
        print(f"{'ok' if holds else 'not ok'} - {what}{f': {seen}' if seen != '' else ''}", flush=True)
        return holds

    def near(self, what, expected, measured, tolerance, unit="s"):
        if measured is None:
            return self.check(False, what, f"expected {expected:.2f} {unit}, nothing measured")
        seen = f"expected {expected:.2f}, measured {measured:.2f}, tolerance {tolerance:.2f} {unit}"
        return self.check(abs(measured - expected) <= tolerance, what, seen)
