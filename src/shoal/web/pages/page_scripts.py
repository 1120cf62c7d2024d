"""The few scripts that every page runs in the browser."""

from __future__ import annotations

SEEN = (
    "document.addEventListener('visibilitychange', () => document.hidden || emitEvent('shoal-seen', {}))"
)
LOCK = """
addEventListener('load', () => {
  const popup = document.getElementById('popup');
  const told = document.createElement('div');
  told.className = 'unreached';
  told.setAttribute('role', 'alert');
  const words = 'The server does not answer. So that nothing you do is lost, this page takes no changes ' +
    'until it does. If the server was started anew, open the link that it printed.';
  const look = () => {
    const lost = popup.ariaHidden !== 'true';
    document.querySelectorAll('.shell, .shell-head, .q-dialog').forEach(part => (part.inert = lost));
    told.textContent = lost ? words : '';
  };
  document.body.append(told);
  new MutationObserver(look).observe(popup, {attributes: true});
});
"""
"""Locks the page while its server does not answer: what is changed meanwhile would never reach it."""
COOKIE = "document.cookie='shoal-look=%s; path=/; SameSite=Strict; max-age=31536000'"
"""Remembers the look that was chosen."""
