#!/usr/bin/env python3
"""fail.py FOLDER: runs processes that really fail, and writes what each printed to FOLDER/NAME.log, without the paths of
this machine. tests/data/rootcause holds the result of one run; test_processes.c reads it. One alone:

    fail.py --run NAME"""
import os
import subprocess
import sys

STEPS = "".join(f"completed step: {n}, seconds: 0.054, TFLOP/s/device: 0.304, loss: {8 - n / 10:.3f}\n" for n in range(3))


def chained():
    try:
        {}["loss"]
    except KeyError as error:
        raise RuntimeError("the step failed") from error


def in_handler():
    import json
    try:
        json.loads('{"shard": ')
    except ValueError:
        open("/nonexistent/report.txt")


def thread():
    import threading
    runner = threading.Thread(target=lambda: 1 / 0)
    runner.start()
    runner.join()
    sys.exit(3)


def segfault():
    import ctypes
    import faulthandler
    faulthandler.enable()
    ctypes.string_at(0)


def abort():
    import faulthandler
    faulthandler.enable()
    os.abort()


def hang():
    import faulthandler
    import time
    faulthandler.dump_traceback_later(0.2, exit=True)
    time.sleep(60)


def memory():
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    bytearray(1 << 34)


def disk_full():
    with open("/dev/full", "wb") as file:
        file.write(b"x" * 100000)


def missing_shard():
    open("/data/train-00017-of-00256.tfrecord", "rb")


def missing_checkpoint():
    open("/ckpt/step_100/checkpoint.pt", "rb")


def broken_json():
    import json
    json.loads('{"text": "abc')


def broken_gzip():
    import gzip
    import io
    gzip.open(io.BytesIO(gzip.compress(os.urandom(1000))[:500])).read()


def broken_pickle():
    import pickle
    pickle.loads(b"")


def not_utf8():
    b"\xff\xfe\x00".decode("utf-8")


def refused():
    import socket
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    socket.create_connection(("127.0.0.1", port))


def reset():
    import socket
    import struct
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        client = socket.create_connection(listener.getsockname())
        peer, _ = listener.accept()
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        peer.close()
        client.recv(1)


def in_use():
    import socket
    with socket.socket() as first, socket.socket() as second:
        first.bind(("127.0.0.1", 0))
        first.listen()
        second.bind(first.getsockname())


def no_name():
    import socket
    socket.create_connection(("worker-0.train.invalid", 29500))


def wrong_flag():
    import argparse
    parser = argparse.ArgumentParser(prog="train.py")
    parser.add_argument("--steps", type=int)
    parser.parse_args(["--stepz=3"])


def no_module():
    import no_such_attention  # noqa: F401


def interrupted():
    import signal
    os.kill(os.getpid(), signal.SIGINT)
    import time
    time.sleep(10)


def killed():
    import signal
    os.kill(os.getpid(), signal.SIGKILL)


def pool():
    from concurrent.futures import ProcessPoolExecutor
    with ProcessPoolExecutor(1) as executor:
        executor.submit(os._exit, 3).result()


def divide(n):
    return 1 // n


def remote():
    from concurrent.futures import ProcessPoolExecutor
    with ProcessPoolExecutor(1) as executor:
        executor.submit(divide, 0).result()


def group():
    raise ExceptionGroup("two readers failed", [ValueError("shard 3 has 7 columns"), TypeError("no label")])


def ignored():
    class Loader:
        def __del__(self):
            raise AttributeError("the loader is closed")
    Loader()
    {}["optimizer"]


def logged():
    import logging
    logging.warning("%d shards", "seven")
    [][0]


def survived():
    import traceback
    try:
        {}["cache"]
    except KeyError:
        traceback.print_exc()
    sys.stderr.write(STEPS)
    raise ValueError("batch of 7 rows")


def stamped():
    import io
    import traceback
    try:
        chained()
    except RuntimeError:
        text = io.StringIO()
        traceback.print_exc(file=text)
    for n, line in enumerate(text.getvalue().splitlines()):
        print(f"2026-11-20T10:00:0{n % 10}.5Z {line}")
    sys.exit(1)


def config_key():
    import dataclasses
    config = dataclasses.make_dataclass("TrainConfig", ["steps"])
    config(steps=3, gpu_ids="all")


def config_value():
    import dataclasses

    @dataclasses.dataclass
    class Batch:
        rows: int

        def __post_init__(self):
            if self.rows % 8:
                raise ValueError(f"{self.rows} rows")
    Batch(7)


def config_world():
    accumulation, world_size = 16, 6
    assert accumulation % world_size == 0


def config_setting():
    raise ValueError("a pipeline of 4 stages must be given together with virtual stages, which must be set")


def no_rank():
    os.environ.pop("RANK", None)
    int(os.environ["RANK"])


def broken_toml():
    import tomllib
    tomllib.loads("steps = ")


def terminated():
    subprocess.run(["bash", "-c", "bash -c 'kill $$'; exit 143"], check=False)


def retried():
    import logging
    import urllib.error
    import urllib.request
    for delay in (0.1, 0.2):
        try:
            urllib.request.urlopen("http://worker-0.train.invalid/shard")
        except urllib.error.URLError as error:
            logging.error("%s. Retrying in %s s", error, delay)
    [][0]


def short_message():
    import atexit
    atexit.register(sys.stderr.write, "wandb: the config of the dataset must be set\n")
    raise ValueError("batch of 7 rows")


def through_config():
    """What reads a configuration calls the program: its exception is not one of the configuration."""
    def parse_args():
        return chained()
    parse_args()


NAMES = [name for name, value in list(globals().items()) if callable(value) and name != "divide"]


def main():
    if sys.argv[1] == "--run":
        return globals()[sys.argv[2]]()
    for name in NAMES:
        done = subprocess.run([sys.executable, "-B", os.path.relpath(__file__), "--run", name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        text = done.stdout.replace(os.getcwd().encode(), b"/app").replace(sys.base_prefix.encode(), b"/usr")
        with open(os.path.join(sys.argv[1], name + ".log"), "wb") as file:
            file.write(text)
        print(name, done.returncode)


if __name__ == "__main__":
    sys.exit(main())
