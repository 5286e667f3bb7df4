"""The ways in which a log may reach a reader: encodings, orders, joints of files that overlap, prefixes of several
processes, and what log collectors put around each line. What is read of a log does not depend on any of them.

The shapes are those of the tools' sources: logcli's pkg/logcli/output/{default,jsonl}.go (Loki 3), fluent-bit's
plugins/out_file/file.c and out_stdout, fluentd's formatter_out_file.rb and formatter_stdout.rb, Vector's source
kubernetes_logs, stern's default template, kubectl logs --prefix, torchrun --tee."""
import calendar
import json
import re
import time

STAMP = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{9})Z (.*)", re.S)


def parts(line):
    """(stamp, Unix seconds, nanoseconds, text) of a line of kubectl logs --timestamps."""
    seconds, nanoseconds, text = STAMP.fullmatch(line).groups()
    return f"{seconds}.{nanoseconds}Z", calendar.timegm(time.strptime(seconds, "%Y-%m-%dT%H:%M:%S")), nanoseconds, text


def each(form):
    def transform(lines):
        return [form(*parts(line)) for line in lines]
    return transform


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


KUBERNETES = '"kubernetes":{"pod_name":"t-0","container_name":"main"}'
ENVELOPES = {
    "CRI": each(lambda stamp, s, ns, text: f"{stamp} stderr F {text}"),
    "json-file": each(lambda stamp, s, ns, text: f'{{"log":{quoted(text + chr(10))},"stream":"stderr","time":"{stamp}"}}'),
    "Cloud Logging": each(lambda stamp, s, ns, text: f'{{"insertId":"a","textPayload":{quoted(text)},"timestamp":"{stamp}"}}'),
    "logcli -o jsonl": each(lambda stamp, s, ns, text: f'{{"labels":{{"pod":"t-0"}},"line":{quoted(text)},"timestamp":"{stamp}"}}'),
    "logcli": each(lambda stamp, s, ns, text: f'{stamp} {{container="main", pod="t-0"}}    {text}'),
    "logcli without labels": each(lambda stamp, s, ns, text: f"{stamp} {{}} {text}"),
    "Loki's values": each(lambda stamp, s, ns, text: f'["{s}{ns}",{quoted(text)}]'),
    "fluent-bit json_lines": each(lambda stamp, s, ns, text: f'{{"date":{s}.{ns},"log":{quoted(text)},{KUBERNETES}}}'),
    "fluent-bit stdout": each(lambda stamp, s, ns, text: f'[3] kube.t: [[{s}.{ns}, {{}}], {{"log"=>"{text}", "stream"=>"stderr"}}]'),
    "fluent-bit file": each(lambda stamp, s, ns, text: f'kube.var.log.t: [{s}.{ns}, {{"stream":"stderr","log":{quoted(text)},{KUBERNETES}}}]'),
    "fluent-bit file, one key": each(lambda stamp, s, ns, text: f'tail.0: [{s}.{ns}, {{"log":{quoted(text)}}}]'),
    "fluentd file": each(lambda stamp, s, ns, text: f'{stamp[:-1]}+00:00\tkube.t\t{{"log":{quoted(text)},"stream":"stderr"}}'),
    "fluentd file, message": each(lambda stamp, s, ns, text: f'{stamp}\tkube.t\t{{"message":{quoted(text)}}}'),
    "fluentd stdout": each(lambda stamp, s, ns, text: f'{stamp[:-1].replace("T", " ")} +0000 kube.t: {{"log":{quoted(text + chr(10))},{KUBERNETES}}}'),
    "Vector": each(lambda stamp, s, ns, text: f'{{{KUBERNETES},"message":{quoted(text)},"source_type":"kubernetes_logs","timestamp":"{stamp}"}}'),
}


def ranks(form):
    """Two processes in turn, of which the first is the log, and the other's steps are not its."""
    def transform(lines):
        both = []
        for line in lines:
            stamp, _, _, text = parts(line)
            both += [form.format(rank=1, stamp=stamp, text="step 7: loss 1.0"), form.format(rank=0, stamp=stamp, text=text)]
        return both
    return transform


def tail(n):
    return lambda lines: lines + lines[-n:]


LINES = {
    "as it is": lambda lines: lines,
    "newest first": lambda lines: lines[::-1],
    "the last line twice": tail(1),
    "the last 20 lines twice": tail(20),
    "all lines twice": lambda lines: lines + lines,
    "a rotation within": lambda lines: lines[:len(lines) // 2] + lines[len(lines) // 4:],
    "CRLF": lambda lines: [line + "\r" for line in lines],
    "ranks of torchrun": ranks("{stamp} [default{rank}]:{text}"),
    "ranks of srun": ranks("{rank}: {stamp} {text}"),
    "kubectl --prefix": ranks("[pod/t-{rank}/main] {stamp} {text}"),
    "stern": ranks("t-{rank} main {stamp} {text}"),
    **ENVELOPES,
    **{f"{name}, newest first": (lambda f: lambda lines: f(lines)[::-1])(f) for name, f in ENVELOPES.items()},
    **{f"{name}, a tail twice": (lambda f: lambda lines: f(tail(12)(lines)))(f) for name, f in ENVELOPES.items()},
}


def joined(lines):
    return "".join(line + "\n" for line in lines)


BYTES = {
    "byte order mark": lambda text: b"\xef\xbb\xbf" + text.encode("utf-8", "surrogateescape"),
    "UTF-16 LE": lambda text: ("\ufeff" + text).encode("utf-16-le", "replace"),
    "UTF-16 BE": lambda text: ("\ufeff" + text).encode("utf-16-be", "replace"),
    "no last newline": lambda text: text[:-1].encode("utf-8", "surrogateescape"),
}
# A log as several files.
FILES = {
    "two files that overlap": lambda lines: [lines[:2 * len(lines) // 3], lines[len(lines) // 3:]],
    "a file and its middle": lambda lines: [lines, lines[len(lines) // 3:2 * len(lines) // 3]],
    "the same file twice": lambda lines: [lines, lines],
}


def clock(begin, end, by):
    """The clock is wrong by that many seconds between two parts of the log (0 to 1)."""
    def transform(lines):
        wrong = range(int(begin * len(lines)), int(end * len(lines)))
        moved = []
        for i, line in enumerate(lines):
            stamp, s, ns, text = parts(line)
            move = by if i in wrong else 0
            seconds = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(s + move))
            text = re.sub(r"\b1[67]\d{8}(?=\.\d)", lambda unix: str(int(unix[0]) + move), text)  # the program has the same clock
            moved.append(f"{seconds}.{ns}Z {text}")
        return moved
    return transform


# Times are then right but for the distance of two lines at each setting: that is lost, and nothing is invented.
CLOCKS = {
    "the clock a minute ahead for a while": clock(0.5, 0.8, 60),
    "the clock an hour ahead for a while": clock(0.3, 0.9, 3600),
    "the clock seconds back for a while": clock(0.5, 0.8, -3),
    "the clock an hour back": clock(0.6, 1, -3600),
}


def ways(text):
    """(name, the files' bytes) of everything that a log may become."""
    lines = text.removesuffix("\n").split("\n")
    encode = lambda lines: joined(lines).encode("utf-8", "surrogateescape")
    for name, transform in LINES.items():
        yield name, [encode(transform(lines))]
    for name, transform in CLOCKS.items():
        yield name, [encode(transform(lines))]
    for name, transform in BYTES.items():
        yield name, [transform(text)]
    for name, transform in FILES.items():
        yield name, [encode(part) for part in transform(lines)]


def essence(status):
    """What does not depend on the way: all but names of files, numbers of lines, and how many lines came twice."""
    status = json.loads(re.sub(r"(, )?(from )?line \d+|log of [^ :,\")]*", "", json.dumps(status)))
    status.get("dataQuality", {}).pop("repeatedLines", None)
    return status
