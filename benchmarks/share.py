"""Do all fixes of a team arrive, once each, though its server is killed? `python -m benchmarks.share [--quick] [--clients N] [--each N]`

Every client is a process with a home of its own. It saves its fixes in small batches and synchronises after each, as a session does,
through a real Chroma server. The server is killed with SIGKILL twice while they send, and started again two seconds later. In the end
every client must have every fix, with its author and its text to the letter, and the server each of them once.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from benchmarks.report import Measured, show
from errors import SharingFailedError
from integrations.chroma_server import ChromaServer
from memory.ledger import LEDGER_NAME, Ledger
from memory.prepare import prepare
from memory.sharing import sync
from memory.sharing_report import SyncReport
from schema.experience import Experience, Provenance
from tests.sharing_servers import ChromaProcess, chroma_at

CLIENTS, EACH = 8, 1_000
QUICK_CLIENTS, QUICK_EACH = 3, 40
SAVED_AT_ONCE = 25
KILLED_AT = (0.3, 0.6)
"""Shares of all fixes that were sent when the server is killed."""
AWAY_S = 2.0
LONGEST_S = 3_600.0


def experience(client: int, number: int) -> Experience:
    """A fix that only this client has."""
    name = f"mean_{client}_{number}"
    code = f"def {name}(values):\n    return sum(values) / len(values) + {number}\n"
    fixed = f"def {name}(values):\n    if not values:\n        return {number}\n    return sum(values) / len(values) + {number}\n"
    return Experience("python", code, fixed, "An empty list divides by zero.", Provenance("session", ref=f"session-{client}"))


def work_as_client(home: Path, address: str, client: int, each: int, total: int) -> None:
    """Save, synchronise, until everything of everybody is here. A JSON line after each synchronisation, and one at the end."""
    ledger = Ledger(home / LEDGER_NAME, lock_timeout_s=60)
    started, failures, fixes, is_sent = time.monotonic(), 0, 0, False
    report = SyncReport()
    with closing(ChromaServer(address, lambda: "")) as server:
        while not (is_sent and fixes >= total) and time.monotonic() - started < LONGEST_S:
            saved = own_count(ledger, client)
            rows = [prepare(experience(client, number)) for number in range(saved, min(each, saved + SAVED_AT_ONCE))]
            ledger.store([row for row in rows if row is not None])
            report = SyncReport(pushed=report.pushed, pulled=report.pulled, known=report.known)
            try:
                sync(ledger, server, author=f"author-{client}", report=report)
                is_sent = own_count(ledger, client) == each
            except SharingFailedError:
                is_sent = False
                failures += 1
                time.sleep(0.5)
            fixes = count_of(ledger)
            say(pushed=report.pushed)
            if not rows and fixes < total:
                time.sleep(0.5)
    say(pushed=report.pushed, failures=failures, seconds=round(time.monotonic() - started, 1), known=report.known)


def own_count(ledger: Ledger, client: int) -> int:
    """How many of its own fixes a client has saved."""
    with ledger.reading() as connection:
        query = "SELECT count(*) FROM alternatives WHERE kind = 'session' AND ref = ?"
        return int(connection.execute(query, (f"session-{client}",)).fetchone()[0])


def count_of(ledger: Ledger) -> int:
    """All fixes of a ledger."""
    with ledger.reading() as connection:
        return int(connection.execute("SELECT count(*) FROM alternatives").fetchone()[0])


def say(**values: object) -> None:
    """One line for the parent."""
    print(json.dumps(values), flush=True)


@dataclass
class Client:
    """A client's process, and the last line that it said."""

    number: int
    home: Path
    process: subprocess.Popen[str]
    said: dict[str, float]

    @classmethod
    def start(cls, folder: Path, address: str, number: int, each: int, total: int) -> Client:
        """Begin; a thread listens to it."""
        home = folder / f"client-{number}"
        arguments = ["--as-client", str(home), address, str(number), str(each), str(total)]
        process = subprocess.Popen([sys.executable, "-m", "benchmarks.share", *arguments], stdout=subprocess.PIPE, text=True)
        client = cls(number, home, process, {})
        threading.Thread(target=client.listen, daemon=True).start()
        return client

    def listen(self) -> None:
        """Keep the last line."""
        output = self.process.stdout
        if output is None:
            return
        with output:
            for line in output:
                self.said = json.loads(line)


def run(clients: int, each: int) -> list[Measured]:
    """The figures of one run."""
    total = clients * each
    with tempfile.TemporaryDirectory(prefix="codemind-share-") as folder, chroma_at(Path(folder) / "server") as server:
        started = time.monotonic()
        team = [Client.start(Path(folder), server.address, number, each, total) for number in range(clients)]
        kills = kill_while_they_send(server, team, total)
        for client in team:
            client.process.wait(LONGEST_S)
        seconds = time.monotonic() - started
        missing, wrong = judge_clients(team, each)
        documents, twice = judge_server(server)
        synced = time_of_nothing(team[0], server)
    sent, failures = (sum(int(client.said.get(name, 0)) for client in team) for name in ("pushed", "failures"))
    return [
        Measured("fixes saved, by all clients", total, "fixes"),
        Measured("server killed", kills, "times"),
        Measured("synchronisations that failed meanwhile", failures, ""),
        Measured("fixes sent, those that were sent again included", sent, "fixes"),
        Measured("fixes missing at a client", missing, "fixes", 0),
        Measured("fixes there twice, of another author, or changed", wrong, "fixes", 0),
        Measured("fixes missing on the server, or too many", abs(total - documents), "fixes", 0),
        Measured("fixes twice on the server", twice, "fixes", 0),
        Measured("time", seconds, "s"),
        Measured("fixes that arrived at a client", clients * (total - each) / seconds, "fixes/s"),
        Measured("synchronising with nothing to do", synced, "ms"),
    ]


def kill_while_they_send(server: ChromaProcess, team: list[Client], total: int) -> int:
    """Kill the server each time that a share of all fixes was sent, and start it again; how often that was."""
    kills = 0
    for share in KILLED_AT:
        while sum(int(client.said.get("pushed", 0)) for client in team) < share * total:
            if all(client.process.poll() is not None for client in team):
                return kills
            time.sleep(0.05)
        server.kill()
        kills += 1
        time.sleep(AWAY_S)
        server.start()
    return kills


def judge_clients(team: list[Client], each: int) -> tuple[int, int]:
    """How many fixes are missing at a client, and how many are there more than once, of another author, or with another text."""
    wanted = {}
    for client in team:
        for number in range(each):
            made = experience(client.number, number)
            wanted[digest_of(made.code, made.fixed_code, made.explanation)] = client.number
    missing = wrong = 0
    for client in team:
        with Ledger(client.home / LEDGER_NAME).reading() as connection:
            rows = connection.execute("SELECT code, fixed_code, explanation, kind, author FROM alternatives").fetchall()
        found: dict[str, int] = {}
        for code, fixed, explanation, kind, author in rows:
            key = digest_of(code, fixed, explanation)
            found[key] = found.get(key, 0) + 1
            origin = wanted.get(key)
            is_right = (kind, author) == (("session", "") if origin == client.number else ("peer", f"author-{origin}"))
            wrong += found[key] > 1 or not is_right
        missing += len(wanted.keys() - found.keys())
    return missing, wrong


def judge_server(server: ChromaProcess) -> tuple[int, int]:
    """How many documents the server has, and how many of them are there a second time under another id."""
    with closing(ChromaServer(server.address, lambda: "")) as client:
        ids = [head.id for head in client.newer({}, own="0" * 32)]
    fixes = {key.rpartition(".")[0] for key in ids}
    return len(ids), len(ids) - len(fixes)


def time_of_nothing(client: Client, server: ChromaProcess) -> int:
    """Milliseconds of a synchronisation that has nothing to do, the connection open."""
    ledger = Ledger(client.home / LEDGER_NAME)
    with closing(ChromaServer(server.address, lambda: "")) as shared:
        sync(ledger, shared)
        started = time.monotonic()
        sync(ledger, shared)
        return round((time.monotonic() - started) * 1000)


def digest_of(*texts: str) -> str:
    """For comparing."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def main(arguments: list[str] | None = None) -> int:
    """0 when all arrived once."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.share", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_CLIENTS} clients with {QUICK_EACH} fixes each")
    parser.add_argument("--clients", type=int)
    parser.add_argument("--each", type=int)
    parser.add_argument("--as-client", nargs=5, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.as_client:
        home, address, *numbers = given.as_client
        work_as_client(Path(home), address, *map(int, numbers))
        return 0
    clients = given.clients or (QUICK_CLIENTS if given.quick else CLIENTS)
    return show("share", run(clients, given.each or (QUICK_EACH if given.quick else EACH)))


if __name__ == "__main__":
    sys.exit(main())
