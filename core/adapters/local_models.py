"""Asks a local Ollama for its models, and the PATH for programs. Law: no key is sent, and a server
that is silent for a second counts as none."""

import json
import shutil

TIMEOUT = 1.0  # seconds; a server on this machine answers in milliseconds
LARGEST_ANSWER = 1_000_000  # bytes


class ModelsOfMachine:
    """The `LocalModels` port."""

    def models_at(self, address: str) -> tuple[str, ...] | None:
        # Imported here: where a key or a model is configured no server is asked.
        from http.client import HTTPConnection, HTTPException, HTTPSConnection
        from urllib.parse import urlsplit

        try:
            parts = urlsplit(address)
            connection_type = HTTPSConnection if parts.scheme == "https" else HTTPConnection
            connection = connection_type(parts.hostname or "", parts.port, timeout=TIMEOUT)
        except (HTTPException, ValueError, OSError):  # OSError: the certificates
            return None

        try:
            connection.request("GET", "/api/tags")
            models = json.loads(connection.getresponse().read(LARGEST_ANSWER))["models"]
            return tuple(str(one["name"]) for one in models)
        except (OSError, HTTPException, ValueError, KeyError, TypeError, RecursionError):
            return None
        finally:
            connection.close()

    def program(self, name: str) -> str | None:
        return shutil.which(name)
