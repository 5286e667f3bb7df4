#!/usr/bin/env python3
"""stretch.py FACTOR FILE: the text of a log or of a status with its time axis stretched, on standard output.

Every time moves away from the first one by FACTOR: RFC 3339 and what resembles it (a space, a comma, brackets, no
zone), Unix seconds, milliseconds and nanoseconds, absl's "I1121 02:17:41.048881". Durations are multiplied: numbers with
a unit, fields whose names say one, the clocks of progress bars; rates are divided. So a log of minutes becomes one of
hours or days that the same trainer could have printed."""
import datetime
import re
import sys

RUN_NS = 90 * 86400 * 10**9
STAMP = re.compile(r"(?m)^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*")
DATE = re.compile(r"(?<!\d)(\d{4})-(\d\d)-(\d\d)([T ])(\d\d):(\d\d):(\d\d)([.,]\d{1,9})?")
RECORDED = re.compile(r'(?<=_time": )(\d{1,9})()(\.\d+)?(?![\d\w])')  # a recorder's, in a test of 1970
UNIX = re.compile(r"(?<![\d.\w-])(1[5-9]\d{8}|2[0-4]\d{8})(\d{3}(?:\d{6})?)?(\.\d+)?(?![\d\w])")
ABSL = re.compile(r"(?m)((?:^|Z )[IWEF])(\d\d)(\d\d) (\d\d):(\d\d):(\d\d)(\.\d{6})")
NUMBER = r"(\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)"
# Durations: the text before the number, the number, the text after it.
DURATIONS = [re.compile(before + NUMBER + after) for before, after in (
    (r"(?<![\w.:-])()", r"(?= ?(?:ms|s|sec|secs|seconds|s/it|s/step|ms/step)(?![\w/]))"),
    (r"((?:seconds|\(ms\)|in s|in s of|time|_s|_ms|_time|_secs|duration|_runtime)['\"]?[:=] ?)", r"(?![\d.:-])"),
    (r"(\"\w*(?:Milliseconds|milliseconds|ms|Seconds|seconds|Hours|allocated|productive|lost|waiting)\": ?\"?)", r"(?=\"?[,}\s])"),
)]
RATES = [re.compile(r"(?<![\w.:-])()" + NUMBER + r"(?= ?(?:it/s|steps/s|samples/s)(?!\w))"),
         re.compile(r"((?:_per_second|PerSec)['\"]?[:=] ?)" + NUMBER)]
BAR = re.compile(r"(?<=[\[<])(\d+:)?(\d+):(\d\d)(?=[<,\]])")
KEPT = re.compile(r"\"(?:windowSeconds|ttlSecondsAfterFinished|observedGeneration)\": ?\d+")


def seconds_of(year, month, day, hour, minute, second):
    day = min(int(day), 28) if int(month) == 2 and int(day) > 28 else int(day)
    return int((datetime.datetime(int(year), int(month), day) - datetime.datetime(1970, 1, 1)).total_seconds()) + \
        int(hour) * 3600 + int(minute) * 60 + int(second)


def nanoseconds(fraction):
    return int((fraction or ".0")[1:].ljust(9, "0"))


def is_date(match):
    return 1970 <= int(match[1]) < 2100 and 1 <= int(match[2]) <= 12 and 1 <= int(match[3]) <= 31 and int(match[5]) < 24


def origin_of(texts):
    """Where the time axis of these logs starts: the first of the stamps that lines start with, else the earliest time."""
    stamps = [next(times(m[0])) for text in texts for m in STAMP.finditer(text)]
    return min(stamps, default=min((t for text in texts for t in times(text)), default=0))


def times(text):
    """All times in it, in nanoseconds."""
    for m in DATE.finditer(text):
        if is_date(m):
            yield seconds_of(*m.group(1, 2, 3, 5, 6, 7)) * 10**9 + nanoseconds(m[8])
    for m in (*UNIX.finditer(text), *RECORDED.finditer(text)):
        yield int(m[1]) * 10**9 + nanoseconds("." + m[2] if m[2] else m[3])


def scaled(number, factor):
    digits = len(number.partition(".")[2]) if "e" not in number.lower() else 6
    return f"{float(number) * factor:.{digits}f}"


def stretch(text, factor, origin=None, year=2026):
    """origin: the time that stays where it is, in nanoseconds; the text's own if None."""
    if factor == 1:
        return text
    if origin is None:
        origin = origin_of([text])
    # What is not of this run stays: a release's date, an expiry.
    moved = lambda ns: origin + (ns - origin) * factor if origin < ns < origin + RUN_NS else ns

    def date(m):
        if not is_date(m):
            return m[0]
        ns = moved(seconds_of(*m.group(1, 2, 3, 5, 6, 7)) * 10**9 + nanoseconds(m[8]))
        at = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=ns // 10**9)
        fraction = m[8][0] + f"{ns % 10**9:09d}"[:len(m[8]) - 1] if m[8] else ""
        return at.strftime(f"%Y-%m-%d{m[4]}%H:%M:%S") + fraction

    def unix(m):
        ns = moved(int(m[1]) * 10**9 + nanoseconds("." + m[2] if m[2] else m[3]))
        if m[2]:
            return f"{ns // 10 ** (9 - len(m[2]))}"
        return f"{ns // 10**9}" + (f".{ns % 10**9:09d}" if m[3] else "")

    def absl(m):
        ns = moved(seconds_of(year, *m.group(2, 3, 4, 5, 6)) * 10**9 + nanoseconds(m[7]))
        at = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=ns // 10**9)
        return m[1] + at.strftime("%m%d %H:%M:%S") + f".{ns % 10**9 // 1000:06d}"

    def bar(m):
        total = (int((m[1] or "0:")[:-1]) * 3600 + int(m[2]) * 60 + int(m[3])) * factor
        hours, rest = divmod(total, 3600)
        return (f"{hours}:" if hours or m[1] else "") + f"{rest // 60:02d}:{rest % 60:02d}"

    kept = []

    def keep(m):  # out of the way of the other patterns, put back at the end
        kept.append(m[0])
        return f"\x00{len(kept) - 1}\x00"

    def keep_as(change):
        def changed(m):
            kept.append(change(m))
            return f"\x00{len(kept) - 1}\x00"
        return changed

    text = KEPT.sub(keep, text)
    for pattern, change in ((DATE, date), (ABSL, absl), (UNIX, unix), (RECORDED, unix), (BAR, bar)):
        text = pattern.sub(keep_as(change), text)
    for pattern in DURATIONS:
        text = pattern.sub(lambda m: m[1] + keep_as(lambda n: scaled(n[2], factor))(m), text)
    for pattern in RATES:
        text = pattern.sub(lambda m: m[1] + f"{float(m[2]) / factor:.6f}", text)
    return re.sub("\x00(\\d+)\x00", lambda m: kept[int(m[1])], text)


def read(path):
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as f:
        return f.read()


def write(path, text):
    with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as f:
        f.write(text)


if __name__ == "__main__":
    write("/dev/stdout", stretch(read(sys.argv[2]), int(sys.argv[1])))
