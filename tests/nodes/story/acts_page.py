"""The page, as its reader opens it: kubectl goodput dashboard."""
import subprocess

import controller
from machines import HERE

# The plugin prints the address first, and ends its kubectl when it is ended.
SCRIPT = f"""
. "{HERE}/env.sh"; cd "$ROOT"; export PATH=$ROOT/.build/release/bin:$PATH
said=$(mktemp)
kubectl goodput dashboard --port 0 >"$said" &
plugin=$!
for _ in $(seq 300); do
    address=$(sed -n 1p "$said")
    [ -z "$address" ] || break
    kill -0 $plugin || exit 1
    sleep 0.2
done
curl -fsS --retry 3 "$address"
kill $plugin
wait $plugin || exit 1
! curl -fsS "$address" 2>/dev/null >&2 || {{ echo "the port is still forwarded" >&2; exit 1; }}
"""


def dashboard(stage):
    """In the network of the machine that has the API server; the pod of the page is on a node."""
    enter = ["nsenter", "--target", str(stage.machines.pid("cp")), "--mount", "--uts", "--ipc", "--net", "--pid", "--"]
    done = subprocess.run([*enter, "timeout", str(controller.PATIENCE), "bash", "-c", SCRIPT], capture_output=True, text=True, check=False)
    fine = done.returncode == 0 and "<title>" in done.stdout
    stage.tally.check(fine, "kubectl goodput dashboard opens the page, and ends its port-forward", (done.stderr or done.stdout).strip()[-200:])
