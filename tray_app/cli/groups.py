"""A command that has commands of its own: a misspelt one is answered with the one that was probably
meant."""

import click

from core.model.errors import HeartbeatError
from core.rules.spelling import nearest


class CommandGroup(click.Group):
    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        word = args[0]
        if word.startswith("-") or self.get_command(ctx, word) is not None:
            return super().resolve_command(ctx, args)

        close = nearest(word, self.list_commands(ctx))
        meant = f"Did you mean `{ctx.command_path} {close}`? " if close else ""
        raise HeartbeatError(
            f"There is no command `{word}`.", f"{meant}See all of them: {ctx.command_path} --help"
        )
