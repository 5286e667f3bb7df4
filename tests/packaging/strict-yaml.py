#!/usr/bin/env python3
"""Reads YAML as kubectl and kustomize do: a key that a mapping has twice is an error.

    strict-yaml.py [FILE...]    (standard input without a file); says what is wrong, exit code 1"""
import sys

import yaml


class StrictLoader(yaml.SafeLoader):
    def construct_mapping(self, node, deep=False):
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, "the key %r is there twice" % key, key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep)


def load_all(stream):
    return list(yaml.load_all(stream, StrictLoader))


def main(paths):
    bad = 0
    for path in paths or ["-"]:
        with (sys.stdin if path == "-" else open(path, encoding="utf-8")) as stream:
            try:
                if not any(load_all(stream)):
                    raise ValueError("no document")
            except (yaml.YAMLError, ValueError) as e:
                print("%s: %s" % (path, e))
                bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
