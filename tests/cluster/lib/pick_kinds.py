"""pick_kinds.py KIND... < manifests > those of these kinds."""
import sys

import yaml

Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
Dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)

manifests = [m for m in yaml.load_all(sys.stdin, Loader) if m and m["kind"] in sys.argv[1:]]
yaml.dump_all(manifests, sys.stdout, Dumper, sort_keys=False)
