"""Where the server listens, what it is called, and which proxy in front of it is trusted."""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import Any

from shoal.errors import InputError, show
from shoal.web.server.streams import RefusedError, Scope

Network = IPv4Network | IPv6Network

LOOPBACK = ("127.0.0.1", "localhost", "::1")
SECRET = "x-shoal-proxy"
"""The header in which a proxy sends its secret."""
LEAST_SECRET = 16
_HOST = re.compile(r"([A-Za-z0-9_.-]{1,253}|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?")
_ORIGIN = re.compile(rf"https?://{_HOST.pattern}")
_HEADER = re.compile(r"[A-Za-z0-9-]{1,60}")
_NO_ACCOUNTS = {"host", "origin", "cookie", "authorization", "x-forwarded-proto", SECRET}
_ACCOUNT = re.compile(r"[^\s,;\x00-\x1f\x7f]{1,200}")


@dataclass(frozen=True)
class Proxy:
    """The proxy that the server trusts: whoever connects from these addresses.

    `account_header` names who is signed in. If there is a `secret`, nobody without it is trusted, since
    everybody on a machine can connect from loopback.
    """

    addresses: tuple[Network, ...] = (ip_network("127.0.0.0/8"), ip_network("::1/128"))
    account_header: str | None = None
    secret: str | None = None

    @classmethod
    def of(
        cls, addresses: Iterable[str] = (), account_header: str | None = None, secret: Path | None = None
    ) -> Proxy:
        """Return the proxy that options describe, or refuse them; loopback if no address is given."""
        networks = tuple(map(_network, addresses)) or cls.addresses
        if account_header is not None and (
            not _HEADER.fullmatch(account_header) or account_header.lower() in _NO_ACCOUNTS
        ):
            raise InputError(
                f"{show(account_header)} cannot be the header for accounts; use one such as X-Forwarded-User"
            )
        name = None if account_header is None else account_header.lower()
        return cls(networks, name, None if secret is None else _read_secret(secret))

    def is_believed(self, scope: Scope) -> bool:
        """Whether a request comes from the proxy."""
        client = scope.get("client")
        if not client:
            return False
        try:
            address = ip_address(client[0])
        except ValueError:
            return False
        if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
            address = address.ipv4_mapped
        if not any(address in network for network in self.addresses):
            return False
        if self.secret is None:
            return True
        given = _values(scope, SECRET)
        return len(given) == 1 and hmac.compare_digest(given[0], self.secret.encode())

    def account(self, scope: Scope) -> str | None:
        """Return the account of a request; None if the server has no accounts.

        A request must name one account; of two names, the browser might have sent one itself.
        """
        if self.account_header is None:
            return None
        if not self.is_believed(scope):
            raise RefusedError(403, "this server answers only its proxy; use the proxy's address")
        given = _values(scope, self.account_header)
        try:
            name = given[0].decode() if len(given) == 1 else ""
        except UnicodeDecodeError:
            name = ""
        if not _ACCOUNT.fullmatch(name):
            raise RefusedError(401, "the proxy does not say who you are; sign in there")
        return name


@dataclass(frozen=True)
class ListeningPlace:
    """Where the server listens: a Host header may give one of its `hosts`, or one of the `names`.

    The names are those of a proxy in front of it, which may speak TLS.
    """

    port: int
    hosts: frozenset[str]
    names: frozenset[str] = frozenset()
    proxy: Proxy = field(default_factory=Proxy)
    framed_by: tuple[str, ...] = ()
    """The origins whose pages may show this server's pages in a frame."""

    @classmethod
    def of(
        cls,
        host: str,
        port: int,
        names: Iterable[str] = (),
        proxy: Proxy | None = None,
        framed_by: Iterable[str] = (),
    ) -> ListeningPlace:
        """Return the place for an address; loopback has several names."""
        own = {"127.0.0.1", "localhost", "[::1]"}
        if host not in LOOPBACK:
            own = {f"[{host}]" if ":" in host else host}
        allowed = set()
        for name in names:
            found = _HOST.fullmatch(name)
            if found is None:
                raise InputError(
                    f"{show(name)} is not the name of a host; give one such as shoal.example.org"
                )
            # Without a port it stands for the default port and for the server's own.
            called = name.lower()
            allowed |= {called} if found[2] else {called, f"{called}:{port}"}
        hosts = frozenset(f"{name}:{port}" for name in own)
        return cls(port, hosts, frozenset(allowed), proxy or Proxy(), tuple(map(_origin, framed_by)))

    @property
    def cookie(self) -> str:
        """The cookie's name: browsers do not keep the cookies of two ports apart."""
        return f"shoal-{self.port}"

    @property
    def origins(self) -> frozenset[str]:
        """What an Origin header may say when the server is reached by its own address."""
        return frozenset(f"http://{host}" for host in self.hosts)

    @property
    def sockets(self) -> list[str]:
        """The addresses of pages' sockets, as a browser's policy can name them (it cannot name IPv6)."""
        found = [f"ws://{host}" for host in self.hosts | self.names]
        found += [f"wss://{name}" for name in self.names]
        return sorted(address for address in found if "[" not in address)

    def is_secure(self, scope: Scope, headers: Mapping[str, str]) -> bool:
        """Whether the proxy says that the browser speaks TLS."""
        return headers.get("x-forwarded-proto") == "https" and self.proxy.is_believed(scope)

    def check_host(self, scope: Scope, headers: Mapping[str, str]) -> None:
        """Refuse another name for this machine, and what another host's page made a browser send."""
        host = headers.get("host", "").lower()
        if host not in self.hosts | self.names:
            raise RefusedError(
                403, "this server does not answer to that host name; use the link it printed"
            )
        if "origin" not in headers:
            return
        scheme = "https" if self.is_secure(scope, headers) else "http"
        own = {f"{scheme}://{host}"} | (self.origins if host in self.hosts else set())
        if headers["origin"] not in own:
            raise RefusedError(403, "this server does not answer requests from other pages")


def _origin(given: str) -> str:
    """Return an origin as browsers write it, or refuse what is none: it goes into a header."""
    found = _ORIGIN.fullmatch(given.strip().rstrip("/").lower())
    if found is None:
        raise InputError(
            f"{show(given)} is not the origin of a page; give one such as http://localhost:8888"
        )
    return found[0]


def _network(given: str) -> Network:
    try:
        found = ip_network(given, strict=False)
    except ValueError:
        raise InputError(
            f"{show(given)} is not the address of a proxy; give one such as 10.0.0.5"
        ) from None
    if found.prefixlen == 0:
        raise InputError(f"{show(given)} means everybody; name the proxy's own address")
    return found


def _read_secret(path: Path) -> str:
    try:
        secret = path.read_text(encoding="ascii").strip()
        readable = path.stat().st_mode & 0o007
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or "not plain text"
        raise InputError(f"cannot be read: {reason}", file=path) from None
    if len(secret) < LEAST_SECRET or not secret.isprintable():
        raise InputError(
            f"a secret needs at least {LEAST_SECRET} characters on one line; make one: openssl rand -hex 32",
            file=path,
        )
    if readable:
        raise InputError("everybody can read this secret; protect it: chmod 600", file=path)
    return secret


def _values(scope: Scope, name: str) -> list[Any]:
    wanted = name.encode()
    return [value for found, value in scope["headers"] if found.lower() == wanted]
