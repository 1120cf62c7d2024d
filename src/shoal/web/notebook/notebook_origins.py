"""Which pages a notebook is shown on, so that these and no others may show ours in a frame."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

LOOPBACK = ("localhost", "127.0.0.1")
"""The names by which a browser on this machine may have opened the notebook."""


def kernel() -> Any:
    """Return the kernel that runs this code; None outside of a notebook."""
    if "IPython" not in sys.modules:
        return None
    from IPython import get_ipython

    return getattr(get_ipython(), "kernel", None)


def notebook_origins() -> tuple[str, ...]:
    """Return the origins of the notebook's page; none if that is not on this machine, or is not known.

    Jupyter keeps a file about each of its servers beside the connection files of their kernels, and tells a
    kernel the process of its server.
    """
    found = kernel()
    file = getattr(getattr(found, "config", {}).get("IPKernelApp"), "connection_file", None)
    if not file:
        return ()
    server = os.environ.get("JPY_PARENT_PID", str(os.getppid()))
    return origins_told(Path(str(file)).parent, server)


def origins_told(folder: Path, server: str) -> tuple[str, ...]:
    """Return the origins of the server with this process, as a file in Jupyter's folder tells them."""
    for name in (f"jpserver-{server}.json", f"nbserver-{server}.json"):
        try:
            told = json.loads((folder / name).read_text(encoding="utf-8"))
            address = urlsplit(str(told["url"]))
            port = address.port
        except (OSError, ValueError, KeyError, TypeError):
            continue
        # A page over TLS is of another site than ours, whose cookie the browser would keep back.
        if address.scheme == "http" and address.hostname in LOOPBACK:
            return tuple(f"http://{host}:{port or 80}" for host in LOOPBACK)
    return ()
