"""What crosses packages: findings, fixes, experiences, matches, records, and the ports between them.

Frozen dataclasses of plain values. `as_plain` gives what goes into JSON, a checkpoint or the ledger; `from_plain` reads
it back and ignores keys it doesn't know, so that an older program can read a newer record.
"""
