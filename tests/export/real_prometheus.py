"""A real Prometheus for tests, and what dashboards and rules ask it."""

import glob
import json
import re
import shutil
import socket
import subprocess
import urllib.error
import urllib.parse

from rig import fetch, wait_for

CHART = "helm/goodput-controller"


class Prometheus:
    """configuration: the text of prometheus.yml, with FOLDER for the folder."""

    def __init__(self, folder, configuration):
        if shutil.which("prometheus") is None:
            raise SystemExit("not ok - no prometheus here: apt-get install prometheus")
        self.folder = folder
        with open(folder + "/prometheus.yml", "w", encoding="utf-8") as out:
            out.write(configuration.replace("FOLDER", folder))
        for _ in range(5):
            if self._start():
                return
        with open(folder + "/prometheus.log", encoding="utf-8") as log:
            raise SystemExit("not ok - Prometheus does not start: " + log.read()[-1000:])

    def _start(self):
        """Its port is looked for before: should another take it meanwhile, the next is tried."""
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.api = f"http://127.0.0.1:{port}/api/v1"
        with open(self.folder + "/prometheus.log", "w", encoding="utf-8") as out:
            self.process = subprocess.Popen(["prometheus", f"--config.file={self.folder}/prometheus.yml", f"--storage.tsdb.path={self.folder}/data",
                                             f"--web.listen-address=127.0.0.1:{port}"], stdout=out, stderr=out)
        wait_for("Prometheus", lambda: self._is_ready(port), 120)
        return self.process.poll() is None

    def _is_ready(self, port):
        try:
            return self.process.poll() is not None or fetch(f"http://127.0.0.1:{port}/-/ready")
        except (urllib.error.URLError, OSError):
            return False

    def answer(self, path, **query):
        try:
            return json.loads(fetch(f"{self.api}/{path}?{urllib.parse.urlencode(query)}")[1])["data"]
        except urllib.error.HTTPError as error:
            return {"error": error.read().decode(), "resultType": None, "result": []}

    def value(self, query):
        result = self.answer("query", query=query)["result"]
        return float(result[0]["value"][1]) if len(result) == 1 else None

    def evaluated_rules(self):
        """All rules, once each was evaluated."""
        def rules():
            found = [r for g in self.answer("rules")["groups"] for r in g["rules"]]
            return all(r["health"] != "unknown" for r in found) and found
        return wait_for("an evaluation of every rule", rules)

    def stop(self):
        self.process.terminate()
        self.process.wait()


def dashboards():
    """{name: dashboard} of the chart."""
    found = {}
    for path in sorted(glob.glob(f"{CHART}/files/dashboards/*.json")):
        with open(path, encoding="utf-8") as text:
            found[path.rsplit("/", 1)[1]] = json.load(text)
    return found


def panels(dashboard):
    return [p for p in dashboard["panels"] if p["type"] != "row"]


def queries(dashboard):
    """(title, expression) with each variable at All, as Grafana puts them."""
    names = [v["name"] for v in dashboard["templating"]["list"] if v["type"] == "query"]
    return [(p["title"], re.sub(r"\$(" + "|".join(names) + r")\b", ".*", x["expr"])) for p in panels(dashboard) for x in p["targets"]]
