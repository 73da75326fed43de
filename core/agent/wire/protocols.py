"""The table of protocols: one line for each."""

from typing import assert_never

from core.agent.wire.values import Codec
from core.rules.providers.record import Protocol


def codec_of(protocol: Protocol) -> Codec:
    """Only the protocol in use is imported."""
    match protocol:
        case Protocol.ANTHROPIC_MESSAGES:
            from core.agent.wire.anthropic_messages import MESSAGES

            return MESSAGES
        case Protocol.OPENAI_CHAT:
            from core.agent.wire.openai_chat import CHAT

            return CHAT
        case Protocol.OPENAI_CHAT_OF_OTHERS:
            from core.agent.wire.openai_chat import CHAT_OF_OTHERS

            return CHAT_OF_OTHERS
        case other:
            assert_never(other)
