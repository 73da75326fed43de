"""pystray's Icon, Menu and MenuItem; on Linux its abstract Icon, on which our own backend is built.

Left to itself pystray looks for a backend at import: on Linux that fails without a display, and
with one it takes a backend that has no menu. The variable that stops it is removed again,
because children would inherit it.
"""

import os
import sys

HAS_STOCK_BACKEND = sys.platform in ("win32", "darwin")

if HAS_STOCK_BACKEND:
    from pystray import Icon, Menu, MenuItem
else:
    _before = os.environ.get("PYSTRAY_BACKEND")
    os.environ["PYSTRAY_BACKEND"] = "dummy"
    try:
        from pystray import Icon, Menu, MenuItem
    finally:
        del os.environ["PYSTRAY_BACKEND"]
        if _before is not None:
            os.environ["PYSTRAY_BACKEND"] = _before

__all__ = ["HAS_STOCK_BACKEND", "Icon", "Menu", "MenuItem"]
