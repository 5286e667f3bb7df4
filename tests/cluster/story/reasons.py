"""Why seconds are in a wrong bucket: what the truth says they were, and which strike hid them."""
import time
from collections import Counter

import compare
from strikes import hidden_span, hides


class Reasons:
    """Over all lives; the flow of seconds from the right bucket into a wrong one, and what hid them."""

    def __init__(self, strikes):
        self.strikes = [strike for strike in strikes if hides(strike)]
        self.seconds, self.lives = Counter(), Counter()

    def of(self, target, rows):
        """The lines for one life."""
        lines, spans = [], target.ledger()
        for was, held, seconds in compare.flows(rows):
            hidden = [self._hidden(span) for span in spans if span[2] == was]
            by = sorted({name for names, _ in hidden for name in names}) or ["nothing"]
            self.seconds[(was, held, "+".join(by))] += seconds
            self.lives[(was, held, "+".join(by))] += 1
            shown = ", ".join(text for names, text in hidden if names)
            lines.append(f"{seconds:.2f} s of {was} held for {held}; hidden by {'+'.join(by)}{': ' + shown if shown else ''}")
        return lines

    def _hidden(self, span):
        begin, end, _ = span
        over = [s for s in self.strikes if hidden_span(s)[0] < end and hidden_span(s)[1] > begin]
        return {f"{s.kind} {s.victim}" for s in over}, f"{_clock(begin)} to {_clock(end)}"

    def summary(self):
        return [f"{seconds:8.2f} s in {self.lives[key]} lives: {key[0]} held for {key[1]}, hidden by {key[2]}" for key, seconds in self.seconds.most_common()]


def _clock(at):
    return time.strftime("%H:%M:%S", time.gmtime(at)) + f".{int(at % 1 * 10)}"
