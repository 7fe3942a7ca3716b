"""The second half of the wiring: what a user asks of the memory itself, and of files, without graph, index or static engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errors import CodeMindError
from settings import Settings
from wiring import endpoint_vectors, open_ledger, project_of, vector_index

if TYPE_CHECKING:
    from integrations.files import SourceFile as SourceFile
    from integrations.files import Written as Written
    from memory.endpoint_vectors import EndpointVectors
    from memory.git_seeding import GitReport as GitReport
    from memory.git_seeding import TakenFix as TakenFix
    from memory.ledger import Ledger
    from memory.seed_report import Progress
    from memory.seed_report import SeedReport as SeedReport


@dataclass(frozen=True)
class MemoryCare:
    """What a user asks of the ledger itself, in plain values (JSON); needs neither graph nor index nor static engine.

    Every method raises what `memory.ledger.Ledger` raises, those with a path or an id also InputInvalidError.
    """

    ledger: Ledger
    endpoint: EndpointVectors | None = None

    def seed(self, path: Path, progress: Progress | None = None) -> dict[str, Any]:
        """Learn from a JSONL file: what became of its lines, and of the vector index, which is brought up to date."""
        from memory.seeding import seed_file

        return self._seeded(seed_file(self.ledger, path, scope=project_of(Path.cwd()), progress=progress))

    def seed_stream(self, chunks: Iterable[bytes], progress: Progress | None = None) -> dict[str, Any]:
        """As `seed`, of lines that come in pieces."""
        from memory.seeding import seed_stream

        return self._seeded(seed_stream(self.ledger, chunks, scope=project_of(Path.cwd()), progress=progress))

    def seed_pair(self, buggy: str, fixed: str, *, explanation: str = "", language: str | None = None) -> dict[str, Any]:
        """Learn one fix from two files; InputInvalidError when there is nothing to learn from them."""
        from memory.seed_pair import Side, seed_pair

        sides = [Side(path, (file := read_source(path)).raw.decode(file.encoding), file.raw) for path in (buggy, fixed)]
        scope = project_of(Path.cwd())
        return self._seeded(seed_pair(self.ledger, sides[0], sides[1], explanation=explanation, language=language, scope=scope))

    def seed_starter(self, progress: Progress | None = None) -> dict[str, Any]:
        """Learn the starter pack, as from a file."""
        from memory.starter import seed_starter

        return self._seeded(seed_starter(self.ledger, scope=project_of(Path.cwd()), progress=progress))

    def seed_git(
        self,
        place: str,
        *,
        progress: Callable[[GitReport], None] | None = None,
        told: Callable[[TakenFix], None] | None = None,
        **asked: Any,
    ) -> dict[str, Any]:
        """Learn the bug fixes of a Git history; `asked` are the fields of `memory.git_seeding.GitRequest`.

        Raises NotARepositoryError, GitFailedError, ToolMissingError too.
        """
        from integrations.git_repository import open_history
        from memory.git_seeding import GitRequest, seed_git

        request = GitRequest(**asked)
        with open_history(Path(place)) as history:
            done = seed_git(self.ledger, history, request, scope=project_of(history.folder), progress=progress, told=told)
        _log("seeded from Git: commits=%d taken=%d functions=%d dry_run=%s", done.commits, done.taken, done.functions, request.dry_run)
        return {**done.as_plain(), "index": "" if request.dry_run else self._indexed()}

    def starter_offer(self, *, remember: bool = True) -> str:
        """A sentence for the start of a session whose memory is empty, once; else empty. Raises nothing."""
        from memory.starter_offer import starter_offer

        return starter_offer(self.ledger, remember=remember)

    def _seeded(self, done: SeedReport) -> dict[str, Any]:
        report = {**done.as_plain(), "index": self._indexed()}
        _log("seeded: %s", " ".join(f"{name}={value}" for name, value in report.items() if isinstance(value, int)))
        return report

    def _indexed(self) -> str:
        """A sentence about the index; whatever fails there, what was learnt is safe."""
        try:
            done = vector_index(self.ledger).refresh()
        except CodeMindError as error:
            return f"not up to date: {error.message}"
        return f"{done.said}, {done.rows} vectors"

    def rebuild(self) -> dict[str, Any]:
        """Make the vector index anew from the ledger; `aside` is where a damaged one lies, else None."""
        done = vector_index(self.ledger).rebuild()
        _log("index: made by hand rows=%d was_damaged=%s", done.rows, done.aside is not None)
        return {"vectors": done.rows, "index": done.said, "aside": None if done.aside is None else str(done.aside)}

    def index(self) -> dict[str, Any]:
        """The vector index by a glance that opens nothing of it: how it looks, vectors in it and to hold, the embedder's fingerprint."""
        from memory.index import FOLDER_NAME
        from memory.index_content import IndexContent
        from memory.index_folder import IndexFolder
        from memory.vectors import fingerprint

        folder = IndexFolder(self.ledger.path.with_name(FOLDER_NAME), self.ledger.clock)
        state = folder.state()
        rows = 0 if state is None else sum(extent.rows for extent in state.extents.values())
        wanted = IndexContent(self.ledger, folder).rows()
        return {"sight": folder.look(), "rows": rows, "wanted": wanted, "embedder": fingerprint()}

    def newest(self, limit: int | None = None) -> list[dict[str, Any]]:
        """What is remembered, newest first; all of it without `limit`."""
        from memory.admin import list_experiences

        return [found.as_plain() for found in list_experiences(self.ledger, limit)]

    def count(self) -> int:
        """How many experiences there are; cheap."""
        from memory.admin import count

        return count(self.ledger)

    def show(self, prefix: str) -> dict[str, Any]:
        """The one experience whose id begins with `prefix`."""
        from memory.admin import show

        return show(self.ledger, prefix).as_plain()

    def search(self, text: str, limit: int | None = None) -> list[dict[str, Any]]:
        """Experiences that hold every word of the text, newest first; all of them without `limit`."""
        from memory.admin import search

        return [found.as_plain() for found in search(self.ledger, text, limit)]

    def forget(self, prefix: str) -> dict[str, Any]:
        """Delete one experience for good; `leftovers` are files that may still hold its text."""
        from wiring_forgetting import forget_everywhere

        return forget_everywhere(self.ledger, prefix)

    def stats(self) -> dict[str, Any]:
        """Counts, and the thresholds of the near tier."""
        from memory.admin import stats

        return {**stats(self.ledger).as_plain(), "thresholds": self.thresholds()}

    def thresholds(self) -> dict[str, Any] | None:
        """Those in force for the embedder in use; None when it is not calibrated. `outgrown`: they should be measured again."""
        from memory.calibration import count_offered, thresholds_in_force
        from memory.vectors import fingerprint

        with self.ledger.reading() as connection:
            found = thresholds_in_force(connection, fingerprint()) if self.endpoint is None else self.endpoint.thresholds(connection)
            return None if found is None else {**found.as_plain(), "outgrown": found.is_outgrown(count_offered(connection))}

    def calibrate(self, target_precision: float | None = None, progress: Callable[[int, int], None] | None = None) -> dict[str, Any]:
        """Measure the thresholds of the embedder in use, and put them in force. Raises InputInvalidError, ModelError too."""
        from memory.calibrating import calibrate
        from memory.calibration import TARGET_PRECISION

        target = TARGET_PRECISION if target_precision is None else target_precision
        found = calibrate(self.ledger, target, progress or (lambda done, total: None), self.endpoint)
        _log("calibrated: near=%.2f short=%.2f stored=%d", found.near, found.near_short, found.stored)
        return found.as_plain()

    def waiting(self) -> list[dict[str, Any]]:
        """Experiences with a fix that waits for approval."""
        from memory.admin import quarantined

        return [self.show(key) for key in dict.fromkeys(each.experience_id for each in quarantined(self.ledger))]

    def approve(self, prefix: str) -> int:
        """Let an experience's quarantined fixes be offered; how many there were."""
        from memory.admin import approve

        approved = approve(self.ledger, prefix)
        _log("approved: fixes=%d", approved)
        return approved

    def reject(self, prefix: str) -> int:
        """Never offer an experience's quarantined fixes; how many there were."""
        from memory.admin import reject

        rejected = reject(self.ledger, prefix)
        _log("rejected: fixes=%d", rejected)
        return rejected

    def purge(self, source: str, *, dry_run: bool) -> dict[str, Any]:
        """Take back what came from a source, or say what would be; `kept` are fixes that stay, with the reason."""
        from memory.purge import plan_purge, purge

        done = plan_purge(self.ledger, source) if dry_run else purge(self.ledger, source)
        if not dry_run:
            _log("purged: fixes=%d kept=%d", done.fixes, len(done.kept))
        return {
            "source": done.source,
            "purged": not dry_run,
            "fixes": done.fixes,
            "experiences": done.experiences,
            "kept": [{"id": each.id, "why": each.why} for each in done.kept],
            "leftovers": [str(path) for path in done.leftovers],
            "index": "" if dry_run else vector_index(self.ledger).forget(),
        }

    def recover(self, *, empty: bool) -> dict[str, Any]:
        """Bring a damaged ledger back; `quarantined` is None when it was not damaged."""
        from memory.recover import recover

        done = recover(self.ledger, empty=empty)
        _log("ledger: recovered saved=%d lost=%d was_damaged=%s", done.saved, done.lost, done.was_damaged)
        backup = {"from_backup": done.from_backup, "backup_at": done.made_at, "was_damaged": done.was_damaged}
        return {"saved": done.saved, "lost": done.lost, "quarantined": str(done.quarantined) if done.quarantined else None, **backup}

    def health(self) -> dict[str, Any]:
        """Is the ledger sound? `problem` is empty when it is, or is not yet made."""
        from memory.admin import health

        found = health(self.ledger)
        return {"path": str(found.path), "exists": found.exists, "problem": found.problem}


def _log(sentence: str, *values: object) -> None:
    from logging import getLogger  # late: `memory list` logs nothing

    getLogger("codemind.memory").info(sentence, *values)


def open_care(settings: Settings) -> MemoryCare:
    """The care of CODEMIND_HOME's ledger; opens nothing."""
    return MemoryCare(open_ledger(settings), endpoint_vectors(settings))


def read_source(path: str, *, may_be_empty: bool = False) -> SourceFile:
    """Read a source file strictly. Raises InputInvalidError."""
    from integrations.files import read_source_file

    return read_source_file(path, may_be_empty=may_be_empty)


def write_source(file: SourceFile, text: str) -> Written:
    """Write a text (LF) into the file that was read. Raises InputInvalidError, StorageFailedError."""
    from integrations.files import write_atomically

    return write_atomically(file, text)


def create_source(path: str, text: str) -> Written:
    """Write a text, line ends and all, into a file that is not there yet. Raises InputInvalidError, StorageFailedError."""
    from integrations.files import create_file

    return create_file(path, text.encode("utf-8"))


def unwrite(written: Written) -> None:
    """Put back what was there before a write. Raises InputInvalidError when the file changed since, StorageFailedError."""
    from integrations.files import unwrite

    unwrite(written)


def to_clipboard(text: str, environment: Mapping[str, str]) -> str:
    """Hand the text to a program of this system; its name, or empty when there is none."""
    from integrations.clipboard import copy

    return copy(text, environment)


def terminal_clipboard(text: str) -> str:
    """The control sequence that asks the terminal to put the text on its clipboard; empty for a text that is too long."""
    from integrations.clipboard import osc52

    return osc52(text)


def sandbox_selftest() -> list[tuple[str, bool, str]]:
    """Attack the sandbox: name of each attack, whether it was stopped, what was seen. Takes some eight seconds."""
    from integrations.sandbox_selftest import selftest

    return selftest()
