from __future__ import annotations

import signal

import pytest


@pytest.fixture
def interruptible():
    """Let Ctrl-C do what it does in a terminal: whoever runs tests in the background lets it do nothing."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
