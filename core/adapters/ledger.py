"""The ledger: one SQLite file, all of its tables."""

from core.adapters.ledger_evidence import EvidenceTables
from core.adapters.ledger_model_use import ModelUseTable
from core.adapters.ledger_occurrences import OccurrenceTables


class SqliteLedger(OccurrenceTables, EvidenceTables, ModelUseTable):
    """A core.ports.Ledger at a path; opened when it is first asked something."""
