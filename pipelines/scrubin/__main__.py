"""``python -m scrubin``: the same as the command ``scrubin``."""

from __future__ import annotations

import sys

from scrubin.cli import main

if __name__ == "__main__":
    sys.exit(main())
