"""What the models of the providers cost, in USD per million tokens, on 2026-11-18.

Written by `python -m tests.generate_prices` from the data of genai-prices 0.2.1: do not edit.
"""

from core.model.settings import Price
from core.rules.providers.record import PricedModel

DAY = "2026-11-18"

PRICES: dict[str, tuple[PricedModel, ...]] = {
    "anthropic": (
        PricedModel((), ("claude-2", "claude-v2"), Price(8.0, 24.0)),
        PricedModel(
            (),
            ("claude-3-5-haiku", "claude-3.5-haiku"),
            Price(0.8, 4.0, cache_read=0.08, cache_write=1.0, cache_write_hour=1.6),
        ),
        PricedModel(
            (),
            ("claude-3-5-sonnet", "claude-3.5-sonnet"),
            Price(3.0, 15.0, cache_read=0.3, cache_write=3.75, cache_write_hour=6.0),
        ),
        PricedModel(
            (),
            ("claude-3-7-sonnet", "claude-3.7-sonnet", "claude-sonnet-3.7", "claude-sonnet-3-7"),
            Price(3.0, 15.0, cache_read=0.3, cache_write=3.75, cache_write_hour=6.0),
        ),
        PricedModel(
            (),
            ("claude-3-haiku",),
            Price(0.25, 1.25, cache_read=0.03, cache_write=0.3, cache_write_hour=0.5),
        ),
        PricedModel(
            (),
            ("claude-3-opus",),
            Price(15.0, 75.0, cache_read=1.5, cache_write=18.75, cache_write_hour=30.0),
        ),
        PricedModel(
            (),
            ("claude-3-sonnet",),
            Price(3.0, 15.0, cache_read=0.3, cache_write=3.75, cache_write_hour=6.0),
        ),
        PricedModel(
            ("claude-fable-5",),
            (),
            Price(10.0, 50.0, cache_read=1.0, cache_write=12.5, cache_write_hour=20.0),
        ),
        PricedModel(
            ("claude-fable-5-1",),
            (),
            Price(10.0, 50.0, cache_read=0.25, cache_write=12.5, cache_write_hour=20.0),
        ),
        PricedModel(
            (),
            ("claude-haiku-4-5", "claude-haiku-4.5", "claude-4-5-haiku", "claude-4.5-haiku"),
            Price(1.0, 5.0, cache_read=0.1, cache_write=1.25, cache_write_hour=2.0),
        ),
        PricedModel(
            ("claude-haiku-5-5",),
            ("claude-haiku-5-5@", "claude-haiku-5.5", "claude-5-5-haiku", "claude-5.5-haiku"),
            Price(
                0.1,
                0.5,
                cache_read=0.01,
                cache_write=0.125,
                cache_write_hour=0.2,
                above=(
                    (
                        100000,
                        Price(0.5, 2.5, cache_read=0.05, cache_write=0.625, cache_write_hour=1.0),
                    ),
                ),
            ),
        ),
        PricedModel(
            ("claude-opus-4", "claude-opus-4-20250514"),
            ("claude-opus-4-0", "claude-4-opus"),
            Price(15.0, 75.0, cache_read=1.5, cache_write=18.75, cache_write_hour=30.0),
        ),
        PricedModel(
            (),
            ("claude-opus-4-1", "claude-opus-4.1"),
            Price(15.0, 75.0, cache_read=1.5, cache_write=18.75, cache_write_hour=30.0),
        ),
        PricedModel(
            (),
            ("claude-opus-4-5", "claude-opus-4.5", "claude-4-5-opus", "claude-4.5-opus"),
            Price(5.0, 25.0, cache_read=0.5, cache_write=6.25, cache_write_hour=10.0),
        ),
        PricedModel(
            (),
            ("claude-opus-4-6", "claude-opus-4.6", "claude-4-6-opus", "claude-4.6-opus"),
            Price(5.0, 25.0, cache_read=0.5, cache_write=6.25, cache_write_hour=10.0),
        ),
        PricedModel(
            (),
            ("claude-opus-4-7", "claude-opus-4.7", "claude-4-7-opus", "claude-4.7-opus"),
            Price(5.0, 25.0, cache_read=0.5, cache_write=6.25, cache_write_hour=10.0),
        ),
        PricedModel(
            (),
            ("claude-opus-4-8", "claude-opus-4.8", "claude-4-8-opus", "claude-4.8-opus"),
            Price(5.0, 25.0, cache_read=0.5, cache_write=6.25, cache_write_hour=10.0),
        ),
        PricedModel(
            ("claude-opus-5", "claude-opus-5-latest"),
            ("claude-opus-5.0", "claude-5-opus", "claude-5.0-opus"),
            Price(5.0, 25.0, cache_read=0.5, cache_write=6.25, cache_write_hour=10.0),
        ),
        PricedModel(
            ("claude-opus-5-5",),
            ("claude-opus-5.5", "claude-5-5-opus", "claude-5.5-opus"),
            Price(4.0, 20.0, cache_read=0.2, cache_write=5.0, cache_write_hour=8.0),
        ),
        PricedModel(
            ("claude-sonnet-4",),
            ("claude-sonnet-4-2025", "claude-sonnet-4-0", "claude-sonnet-4@", "claude-4-sonnet"),
            Price(3.0, 15.0, cache_read=0.3, cache_write=3.75, cache_write_hour=6.0),
        ),
        PricedModel(
            (),
            ("claude-sonnet-4-5", "claude-sonnet-4.5"),
            Price(
                3.0,
                15.0,
                cache_read=0.3,
                cache_write=3.75,
                cache_write_hour=6.0,
                above=(
                    (
                        200000,
                        Price(6.0, 22.5, cache_read=0.6, cache_write=7.5, cache_write_hour=12.0),
                    ),
                ),
            ),
        ),
        PricedModel(
            (),
            ("claude-sonnet-4-6", "claude-sonnet-4.6"),
            Price(3.0, 15.0, cache_read=0.3, cache_write=3.75, cache_write_hour=6.0),
        ),
        PricedModel(
            ("claude-sonnet-5",),
            ("claude-sonnet-5@", "claude-sonnet-5.0", "claude-5-sonnet", "claude-5.0-sonnet"),
            Price(2.0, 10.0, cache_read=0.2, cache_write=2.5, cache_write_hour=4.0),
        ),
        PricedModel(
            ("claude-sonnet-5-5",),
            ("claude-sonnet-5-5@", "claude-sonnet-5.5", "claude-5-5-sonnet", "claude-5.5-sonnet"),
            Price(2.0, 10.0, cache_read=0.1, cache_write=2.5, cache_write_hour=4.0),
        ),
        PricedModel(("claude-v1",), (), Price(8.0, 24.0)),
    ),
    "openai": (
        PricedModel(("gpt-3.5-turbo-0301", "gpt-3.5-0301"), (), Price(1.5, 2.0)),
        PricedModel(("gpt-3.5-turbo", "gpt-35-turbo", "gpt-3.5-turbo-0125"), (), Price(0.5, 1.5)),
        PricedModel(("gpt-3.5-turbo-0613",), (), Price(1.5, 2.0)),
        PricedModel(("gpt-3.5-turbo-1106",), (), Price(1.0, 2.0)),
        PricedModel(
            (
                "gpt-3.5-turbo-16k",
                "gpt-3.5-turbo-16k-0613",
                "gpt-35-turbo-16k-0613",
                "gpt-35-turbo-16k",
            ),
            (),
            Price(3.0, 4.0),
        ),
        PricedModel(("gpt-3.5-turbo-instruct-0914",), ("gpt-3.5-turbo-instruct",), Price(1.5, 2.0)),
        PricedModel(("gpt-4", "gpt-4-0314", "gpt-4-0613"), ("ft:gpt-4-0",), Price(30.0, 60.0)),
        PricedModel(("gpt-4-32k", "gpt-4-32k-0314", "gpt-4-32k-0613"), (), Price(60.0, 120.0)),
        PricedModel(
            (
                "gpt-4-turbo",
                "gpt-4-turbo-2024-04-09",
                "gpt-4-turbo-0125-preview",
                "gpt-4-0125-preview",
                "gpt-4-1106-preview",
                "gpt-4-turbo-preview",
            ),
            (),
            Price(10.0, 30.0),
        ),
        PricedModel(("gpt-4-vision-preview", "gpt-4-1106-vision-preview"), (), Price(10.0, 30.0)),
        PricedModel(("gpt-4.1", "gpt-4.1-2025-04-14"), (), Price(2.0, 8.0, cache_read=0.5)),
        PricedModel(
            ("gpt-4.1-mini", "gpt-4.1-mini-2025-04-14"), (), Price(0.4, 1.6, cache_read=0.1)
        ),
        PricedModel(
            ("gpt-4.1-nano", "gpt-4.1-nano-2025-04-14"), (), Price(0.1, 0.4, cache_read=0.025)
        ),
        PricedModel((), ("gpt-4.5-preview",), Price(75.0, 150.0, cache_read=37.5)),
        PricedModel(
            ("gpt-4o", "gpt-4o-2024-08-06", "gpt-4o-2024-11-20"),
            (),
            Price(2.5, 10.0, cache_read=1.25),
        ),
        PricedModel(("gpt-4o-2024-05-13",), (), Price(5.0, 15.0)),
        PricedModel(
            (
                "gpt-4o-mini",
                "gpt-4o-mini-2024-07-18",
                "gpt-4o-mini-search-preview",
                "gpt-4o-mini-search-preview-2025-03-11",
            ),
            (),
            Price(0.15, 0.6, cache_read=0.075),
        ),
        PricedModel((), ("gpt-4o-mini-2024-07-18.ft-",), Price(0.3, 1.2)),
        PricedModel(("gpt-4o-mini-tts",), (), Price(0.6, 12.0)),
        PricedModel(
            ("gpt-4o-search-preview", "gpt-4o-search-preview-2025-03-11"), (), Price(2.5, 10.0)
        ),
        PricedModel(("gpt-4o:extended",), (), Price(6.0, 18.0)),
        PricedModel(
            ("gpt-5", "gpt-5-2025-08-07", "gpt-5-chat", "gpt-5-chat-latest", "gpt-5-codex"),
            (),
            Price(1.25, 10.0, cache_read=0.125),
        ),
        PricedModel(
            ("gpt-5-mini", "gpt-5-mini-2025-08-07"), (), Price(0.25, 2.0, cache_read=0.025)
        ),
        PricedModel(("gpt-5-nano",), ("gpt-5-nano-",), Price(0.05, 0.4, cache_read=0.005)),
        PricedModel(("gpt-5-pro", "gpt-5-pro-2025-10-06"), (), Price(15.0, 120.0)),
        PricedModel(("gpt-5-search-api",), (), Price(1.25, 10.0, cache_read=0.125)),
        PricedModel(
            (
                "gpt-5.1",
                "gpt-5.1-2025-11-13",
                "gpt-5.1-codex",
                "gpt-5.1-codex-max",
                "gpt-5.1-chat",
                "gpt-5.1-chat-latest",
                "gpt-5-1",
                "gpt-5-1-2025-11-13",
                "gpt-5-1-codex",
                "gpt-5-1-codex-max",
                "gpt-5-1-chat",
                "gpt-5-1-chat-latest",
            ),
            (),
            Price(1.25, 10.0, cache_read=0.125),
        ),
        PricedModel(
            ("gpt-5.1-codex-mini", "gpt-5.1-mini", "gpt-5-1-codex-mini", "gpt-5-1-mini"),
            (),
            Price(0.25, 2.0, cache_read=0.025),
        ),
        PricedModel(
            (
                "gpt-5.2",
                "gpt-5.2-2025-12-11",
                "gpt-5-2",
                "gpt-5-2-2025-12-11",
                "gpt-5.2-chat",
                "gpt-5.2-chat-latest",
                "gpt-5-2-chat",
                "gpt-5-2-chat-latest",
                "gpt-5.2-codex",
                "gpt-5-2-codex",
            ),
            (),
            Price(1.75, 14.0, cache_read=0.175),
        ),
        PricedModel(
            ("gpt-5.2-pro", "gpt-5.2-pro-2025-12-11", "gpt-5-2-pro-2025-12-11"),
            (),
            Price(21.0, 168.0),
        ),
        PricedModel(
            (
                "gpt-5.3",
                "gpt-5-3",
                "gpt-5.3-chat",
                "gpt-5.3-chat-latest",
                "gpt-5-3-chat",
                "gpt-5-3-chat-latest",
            ),
            (),
            Price(1.75, 14.0, cache_read=0.175),
        ),
        PricedModel(("gpt-5.3-codex", "gpt-5-3-codex"), (), Price(1.75, 14.0, cache_read=0.175)),
        PricedModel(
            ("gpt-5.4", "gpt-5.4-2026-03-05", "gpt-5-4", "gpt-5-4-2026-03-05"),
            (),
            Price(2.5, 15.0, cache_read=0.25, above=((272000, Price(5.0, 22.5, cache_read=0.5)),)),
        ),
        PricedModel(
            ("gpt-5.4-mini", "gpt-5.4-mini-2026-03-17", "gpt-5-4-mini", "gpt-5-4-mini-2026-03-17"),
            (),
            Price(0.75, 4.5, cache_read=0.075),
        ),
        PricedModel(
            ("gpt-5.4-nano", "gpt-5.4-nano-2026-03-17", "gpt-5-4-nano", "gpt-5-4-nano-2026-03-17"),
            (),
            Price(0.2, 1.25, cache_read=0.02),
        ),
        PricedModel(
            ("gpt-5.4-pro", "gpt-5.4-pro-2026-03-05", "gpt-5-4-pro", "gpt-5-4-pro-2026-03-05"),
            (),
            Price(30.0, 180.0, above=((272000, Price(60.0, 270.0)),)),
        ),
        PricedModel(
            (
                "gpt-5.5",
                "gpt-5.5-2026-04-23",
                "gpt-5.5-2026-04-24",
                "gpt-5-5",
                "gpt-5-5-2026-04-23",
                "gpt-5-5-2026-04-24",
                "gpt-5.5-chat",
                "gpt-5.5-chat-latest",
                "gpt-5-5-chat",
                "gpt-5-5-chat-latest",
                "gpt-5.5-codex",
                "gpt-5-5-codex",
            ),
            (),
            Price(5.0, 30.0, cache_read=0.5, above=((272000, Price(10.0, 45.0, cache_read=1.0)),)),
        ),
        PricedModel(("gpt-5.5-cyber",), (), Price(12.5, 75.0, cache_read=1.25)),
        PricedModel(
            ("gpt-5.5-pro", "gpt-5.5-pro-2026-04-23", "gpt-5-5-pro", "gpt-5-5-pro-2026-04-23"),
            (),
            Price(30.0, 180.0, above=((272000, Price(60.0, 270.0)),)),
        ),
        PricedModel(("gpt-5.6-cyber",), (), Price(12.5, 75.0, cache_read=1.25, cache_write=15.625)),
        PricedModel(
            ("gpt-5.6-luna", "gpt-5-6-luna"),
            (),
            Price(
                0.2,
                1.2,
                cache_read=0.02,
                cache_write=0.25,
                above=((272000, Price(0.4, 1.8, cache_read=0.04, cache_write=0.5)),),
            ),
        ),
        PricedModel(
            ("gpt-5.6-sol", "gpt-5-6-sol", "gpt-5.6", "gpt-5-6"),
            (),
            Price(
                4.0,
                20.0,
                cache_read=0.4,
                cache_write=5.0,
                above=((272000, Price(8.0, 30.0, cache_read=0.8, cache_write=10.0)),),
            ),
        ),
        PricedModel(
            ("gpt-5.6-terra", "gpt-5-6-terra"),
            (),
            Price(
                2.0,
                12.0,
                cache_read=0.2,
                cache_write=2.5,
                above=((272000, Price(4.0, 18.0, cache_read=0.4, cache_write=5.0)),),
            ),
        ),
        PricedModel(
            ("gpt-6-astra",),
            (),
            Price(
                10.0,
                50.0,
                cache_read=1.0,
                cache_write=12.5,
                above=((272000, Price(20.0, 75.0, cache_read=2.0, cache_write=25.0)),),
            ),
        ),
        PricedModel(
            ("gpt-6-luna",),
            (),
            Price(
                0.1,
                0.5,
                cache_read=0.01,
                cache_write=0.125,
                above=((272000, Price(0.2, 0.75, cache_read=0.02, cache_write=0.25)),),
            ),
        ),
        PricedModel(
            ("gpt-6-sol",),
            (),
            Price(
                2.0,
                10.0,
                cache_read=0.2,
                cache_write=2.5,
                above=((272000, Price(4.0, 15.0, cache_read=0.4, cache_write=5.0)),),
            ),
        ),
        PricedModel(
            ("gpt-6.1-sol",),
            (),
            Price(
                2.0,
                10.0,
                cache_read=0.1,
                cache_write=2.5,
                above=((272000, Price(4.0, 15.0, cache_read=0.2, cache_write=5.0)),),
            ),
        ),
        PricedModel(
            ("gpt-6.1-terra",),
            (),
            Price(
                1.0,
                5.0,
                cache_read=0.05,
                cache_write=1.25,
                above=((272000, Price(2.0, 7.5, cache_read=0.1, cache_write=2.5)),),
            ),
        ),
        PricedModel(("gpt-chat-latest", "chat-latest"), (), Price(5.0, 30.0, cache_read=0.5)),
        PricedModel(("gpt-oss-120b",), (), Price(0.039, 0.18)),
        PricedModel(("gpt-oss-20b",), (), Price(0.029, 0.14)),
        PricedModel(("gpt-oss-safeguard-20b",), (), Price(0.075, 0.3, cache_read=0.037)),
        PricedModel(("gpt-rosalind-discovery",), (), Price(5.0, 25.0, cache_read=0.5)),
        PricedModel(("gpt-rosalind-research",), (), Price(5.0, 25.0, cache_read=0.5)),
        PricedModel(("o1", "o1-2024-12-17"), (), Price(15.0, 60.0, cache_read=7.5)),
        PricedModel(("o1-mini", "o1-mini-2024-09-12"), (), Price(1.1, 4.4, cache_read=0.55)),
        PricedModel(("o1-preview", "o1-preview-2024-09-12"), (), Price(15.0, 60.0, cache_read=7.5)),
        PricedModel(("o1-pro", "o1-pro-2025-03-19"), (), Price(150.0, 600.0)),
        PricedModel(("o3", "o3-2025-04-16"), (), Price(2.0, 8.0, cache_read=0.5)),
        PricedModel(
            ("o3-deep-research", "o3-deep-research-2025-06-26"),
            (),
            Price(10.0, 40.0, cache_read=2.5),
        ),
        PricedModel(
            ("o3-mini", "o3-mini-2025-01-31", "o3-mini-high"), (), Price(1.1, 4.4, cache_read=0.55)
        ),
        PricedModel(("o3-pro", "o3-pro-2025-06-10"), (), Price(20.0, 80.0)),
        PricedModel(
            ("o4-mini-2025-04-16", "o4-mini-high", "o4-mini"), (), Price(1.1, 4.4, cache_read=0.275)
        ),
        PricedModel(
            ("o4-mini-deep-research", "o4-mini-deep-research-2025-06-26"),
            (),
            Price(2.0, 8.0, cache_read=0.5),
        ),
    ),
}
