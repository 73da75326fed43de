"""The sandbox's only way out: a proxy that lets through only the allowed hosts."""
