"""The ledger: one SQLite file, all of its tables."""

from core.adapters.ledger_memory import MemoryTables
from core.adapters.ledger_occurrences import OccurrenceTables


class SqliteLedger(OccurrenceTables, MemoryTables):
    """A core.ports.Ledger at a path; opened when it is first asked something."""
