"""What a sandboxed command sees: the project, the tools on PATH, and nothing else of this machine."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/localtime")
ENVIRONMENT = (
    *("LANG", "LC_ALL", "LC_CTYPE", "TZ", "TERM", "VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_ROOT", "PYENV_VERSION", "NVM_DIR"),
    *("JAVA_HOME", "GOROOT", "GOPATH", "GOMODCACHE", "NODE_PATH", "PYTHONPATH", "GEM_HOME", "GEM_PATH"),
)
"""Variables that pass. All others stay outside: any of them may hold a key."""
INTERPRETERS = ("python", "python3", "node", "ruby", "java", "go", "php", "bash")
"""Programs whose real home is looked up: a link in ~/.local/bin says nothing of where its libraries are."""
_SHARED = ("/home", "/Users", "/tmp", "/etc", "/var")  # noqa: S108  named to be kept out
_BIN_FOLDERS = frozenset({"bin", "sbin", "shims", "Scripts"})
_LIBRARIES = ("lib", "lib64", "libexec", "include")
_CREDENTIALS = ("credentials", "credentials.toml", ".npmrc", ".pypirc", ".netrc")
_ENV_SAMPLES = (".example", ".sample", ".template", ".dist")


@dataclass(frozen=True)
class View:
    """Folders and files to show read-only, files to hide behind /dev/null, and the environment."""

    visible: tuple[Path, ...]
    hidden: tuple[Path, ...]
    environment: Mapping[str, str]


def project_root(file: Path) -> Path:
    """The nearest folder with a `.git`, else the file's own."""
    return next((parent for parent in file.parents if (parent / ".git").exists()), file.parent)


def is_too_wide(folder: Path, environ: Mapping[str, str]) -> bool:
    """True for a folder that holds a home or the system: showing it would show keys that have nothing to do with a test."""
    kept_out = {_home(environ), *map(Path, _SHARED)}
    return any(place == folder or folder in place.parents for place in kept_out)


def _home(environ: Mapping[str, str]) -> Path:
    return Path(environ["HOME"]) if environ.get("HOME") else Path.home()


def view_of(root: Path | None, environ: Mapping[str, str]) -> View:
    """The view for a project; `root` None for a paste."""
    tools = list(_tool_folders(environ, root))
    shown = [Path(path) for path in SYSTEM if Path(path).exists()]
    shown += [folder for folder in tools if not any(folder == one or one in folder.parents for one in shown)]
    if root is not None:
        shown.append(root)
    hidden = [path for folder in (*tools, *([root] if root else [])) for path in _secrets_of(folder)]
    return View(tuple(dict.fromkeys(shown)), tuple(dict.fromkeys(hidden)), _environment(environ, shown))


def _tool_folders(environ: Mapping[str, str], root: Path | None) -> Iterator[Path]:
    """Homes of the tools, outermost first is not guaranteed; each exists."""
    candidates = [Path(sys.base_prefix).resolve(), Path(sys.prefix)]
    candidates += [
        Path(environ[name]) for name in ("VIRTUAL_ENV", "CONDA_PREFIX", "JAVA_HOME", "GOROOT", "GOMODCACHE") if environ.get(name)
    ]
    for environment in (environ.get("VIRTUAL_ENV"), root and root / ".venv", root and root / "venv"):
        if environment:
            candidates += _home_of(Path(environment) / "bin" / "python")
    for folder in _path_folders(environ):
        candidates += _prefix_of(folder, environ)
    for name in INTERPRETERS:
        found = shutil.which(name, path=environ.get("PATH", ""))
        candidates += _home_of(Path(found)) if found else []
    candidates.append(Path(environ.get("RUSTUP_HOME") or _home(environ) / ".rustup"))
    for candidate in dict.fromkeys(candidates):
        if candidate.is_dir() and not is_too_wide(candidate, environ):
            yield candidate


def _path_folders(environ: Mapping[str, str]) -> list[Path]:
    folders = (Path(entry) for entry in environ.get("PATH", "").split(os.pathsep) if entry)
    return [folder for folder in folders if folder.is_absolute() and folder.is_dir()]


def _home_of(program: Path) -> list[Path]:
    """Where a program really lives: two above its resolved path when that is in a bin folder."""
    try:
        real = program.resolve(strict=True)
    except (OSError, RuntimeError):
        return []
    return [real.parent.parent if real.parent.name in _BIN_FOLDERS else real.parent]


def _prefix_of(folder: Path, environ: Mapping[str, str]) -> list[Path]:
    """A tool's whole home, but of ~/.local only programs and libraries: its `share` holds keyrings and mail."""
    prefix = folder.parent if folder.name in _BIN_FOLDERS else folder
    home = _home(environ)
    if prefix == home / ".local" or is_too_wide(prefix, environ):
        return [folder, *(prefix / name for name in _LIBRARIES if prefix != home)]
    return [prefix]


def _secrets_of(folder: Path) -> Iterator[Path]:
    """Files with credentials at the top of a folder: `.env` and what package managers keep."""
    for path in folder.glob(".env*"):
        if path.is_file() and not path.name.endswith(_ENV_SAMPLES):
            yield path
    yield from (folder / name for name in _CREDENTIALS if (folder / name).is_file())


def _environment(environ: Mapping[str, str], shown: Sequence[Path]) -> dict[str, str]:
    """The allowed variables, PATH without what is not shown, and caches that point to the private /tmp."""
    home = _home(environ)
    seen = [str(f) for f in _path_folders(environ) if any(f == one or one in f.parents for one in shown)]
    kept = {name: environ[name] for name in ENVIRONMENT if environ.get(name)}
    own = str(Path(sys.executable).parent)
    path = os.pathsep.join(dict.fromkeys([*seen, "/usr/local/bin", "/usr/bin", "/bin", own]))
    rust = {name: str(home / folder) for name, folder in (("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo")) if (home / folder).is_dir()}
    return {
        "LANG": "C.UTF-8",
        **kept,
        **rust,
        "PATH": path,
        "HOME": "/tmp",  # noqa: S108  private: a new one for every run
        "TMPDIR": "/tmp",  # noqa: S108
        "USER": "codemind",
        "LOGNAME": "codemind",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_ADDOPTS": "-p no:cacheprovider",
        "CARGO_TARGET_DIR": "/tmp/target",  # noqa: S108
        "GOCACHE": "/tmp/go-build",  # noqa: S108
    }
