#!/usr/bin/env python3
"""The documents' thirteen pictures of the page, deploy/docs/images/page, from those that states.py and shared.py left behind.

Needs Pillow (python3-pil)."""

import os

from PIL import Image

STATES, PICTURES = ".build/page/states", "deploy/docs/images/page"
WIDE = ("disconnected", "empty", "interrupted", "list", "loading", "lost", "queued-again", "sign-in", "slow", "stuck", "zoomed")
OTHERS = {"list-dark": "list-1280-dark", "list-phone": "list-390-light"}
HEIGHT = 2600  # what is below is cut off

for name, state in {**{n: n + "-1280-light" for n in WIDE}, **OTHERS}.items():
    picture = Image.open(f"{STATES}/{state}.png").convert("RGB")
    picture = picture.crop((0, 0, picture.width, min(picture.height, HEIGHT)))
    picture.quantize(64, dither=Image.Dither.NONE).save(f"{PICTURES}/{name}.png", optimize=True)
    print(f"{PICTURES}/{name}.png: {os.path.getsize(f'{PICTURES}/{name}.png')} bytes")
