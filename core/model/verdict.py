"""What a check said about a claim."""

from enum import StrEnum


class Verdict(StrEnum):
    VERIFIED = "verified"
    NOT_VERIFIED = "not_verified"
    UNCLEAR = "unclear"
