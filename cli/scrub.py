"""Takes what is the user's own out of a line: secrets, paths, hosts, the user's and the machine's name."""

from __future__ import annotations

import platform
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from settings import Settings
from utils.hosts import belongs_to, host_of, is_loopback
from utils.redact import redact
from utils.terminal import visible

PUBLIC_DOMAINS = (
    "openai.com",
    "deepseek.com",
    "siliconflow.cn",
    "siliconflow.com",
    "openrouter.ai",
    "mistral.ai",
    "groq.com",
    "together.xyz",
    "fireworks.ai",
    "anthropic.com",
    "x.ai",
    "perplexity.ai",
    "moonshot.cn",
    "moonshot.ai",
    "bigmodel.cn",
    "generativelanguage.googleapis.com",
    "dashscope.aliyuncs.com",
    "dashscope-intl.aliyuncs.com",
    "integrate.api.nvidia.com",
    "router.huggingface.co",
)
"""Services that say nothing about who uses them: the domain, `api.` or `www.` before it. `acme.openai.azure.com` says it."""
LONGEST = 400
OTHER_HOST = "<host>"
_PATH = re.compile(
    r"(?<![\w.<>~/-])(?:(?:file:)?/{1,3}(?!/)[^\s'\"`:;,()<>|]*|~[\w.-]*/[^\s'\"`:;,()<>|]*|[A-Za-z]:[\\/][^\s'\"`:;,()<>|]*|\\\\[^\s'\"`:;,()<>|]+)"
)
_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]{1,15}://[^\s'\"`<>]+", re.IGNORECASE)
_MAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})*")
_FINE_TUNED = re.compile(r"\bft:\S+")
_NAMELESS = frozenset({"localhost", "user", "root", "admin", "codemind", "python", "linux", "runner", "nobody"})
"""Names that tell nobody who it is; replacing them would spoil the report's own words."""
_SHORTEST_NAME = 3


@dataclass(frozen=True)
class Scrub:
    """`home` is the user's folder; `names` are the user's and the machine's; `model_host` is where the
    model lives, `shared_host` where saved fixes go.
    """

    home: str
    state: str
    names: tuple[str, ...]
    model_host: str
    shared_host: str = ""

    @classmethod
    def of(cls, settings: Settings, environment: Mapping[str, str]) -> Scrub:
        """From what this process runs as."""
        home = environment.get("HOME") or environment.get("USERPROFILE") or _home()
        told = [environment.get(name, "") for name in ("USER", "LOGNAME", "USERNAME", "SUDO_USER", "HOSTNAME", "COMPUTERNAME")]
        node = platform.node()
        names = {name for name in (*told, Path(home).name, node, node.partition(".")[0]) if len(name) >= _SHORTEST_NAME}
        longest_first = sorted((name for name in names if name.lower() not in _NAMELESS), key=len, reverse=True)
        return cls(home.rstrip("/\\"), str(settings.codemind_home), tuple(longest_first), settings.host, settings.shared_host)

    def line(self, text: str) -> str:
        """One line of anything, fit to be shown to everybody."""
        text = redact(visible(text).replace("\n", " ")).text
        for host in filter(None, (self.model_host, self.shared_host)):
            text = text.replace(host, self.host(host))
        text = _ADDRESS.sub(lambda found: self.address(found.group()), text)
        text = self._without_paths(_FINE_TUNED.sub("ft:<name>", _MAIL.sub("<mail>", text)))
        for name in self.names:
            text = re.sub(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])", "<name>", text, flags=re.IGNORECASE)
        return text[:LONGEST]

    def address(self, address: str) -> str:
        """Scheme and host of an address, without its path."""
        if not address:
            return "empty"
        scheme = address.partition("://")[0].lower()
        if scheme == "file":
            return "<path>"
        try:
            return f"{scheme}://{self.host(host_of(address))}"
        except ValueError:
            return OTHER_HOST

    def host(self, host: str) -> str:
        """The host where it tells nothing about the user."""
        address = f"//{host}"
        try:
            if is_loopback(address) or any(_is_plain(address, domain) for domain in PUBLIC_DOMAINS):
                return host
        except ValueError:
            return OTHER_HOST
        return OTHER_HOST

    def _without_paths(self, text: str) -> str:
        """Folders of ours by their variable, the home as ~, others not at all."""
        if self.state:
            text = _folder(self.state).sub("$CODEMIND_HOME", text)
        if self.home:
            text = _folder(self.home).sub("~", text)
        return _PATH.sub(_path_word, text)


def _is_plain(address: str, domain: str) -> bool:
    """True for the domain itself, and one short name before it: `api.openai.com`."""
    return belongs_to(address, domain) and host_of(address).partition(":")[0].removesuffix(domain) in {"", "api.", "www."}


def _folder(path: str) -> re.Pattern[str]:
    """The folder wherever it stands as a whole."""
    return re.compile(rf"(?<![\w.-]){re.escape(path)}(?![\w.-])")


def _path_word(found: re.Match[str]) -> str:
    """Of a path only that it is one, and whether it lies in the home; a lone slash is none."""
    text = found.group()
    return text if text in {"/", "//"} else "~/<path>" if text.startswith("~/") else "<path>"


def _home() -> str:
    try:
        return str(Path.home())
    except RuntimeError:
        return ""
