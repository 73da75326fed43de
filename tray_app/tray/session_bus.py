"""The desktop's session bus, and the only file that uses jeepney. After connecting, nothing here
waits.

A call is sent, and its answer is handled when it arrives. Calls from others are answered from
tables of methods first and acted upon afterwards, so that a panel never waits for what a click
starts.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from jeepney import (
    DBusAddress,
    HeaderFields,
    MatchRule,
    Message,
    MessageFlag,
    MessageType,
    message_bus,
    new_error,
    new_method_call,
    new_method_return,
    new_signal,
)
from jeepney.bus import get_bus
from jeepney.io.blocking import DBusConnection, prep_socket

from core.model.errors import HeartbeatError
from core.rules.residing.session_bus import session_bus_address

PROPERTIES = "org.freedesktop.DBus.Properties"

Body = tuple[Any, ...]
Variant = tuple[str, Any]  # signature, value


class CallRefusedError(Exception):
    """The caller asked for something that is not there; the message goes back to it."""


class Method(NamedTuple):
    takes: str  # the signature of the arguments; a call with another one is refused
    gives: str
    answer: Callable[..., Body] = lambda *_: ()
    # Called with the same arguments after the answer was sent.
    then: Callable[..., None] | None = None


class Heard(NamedTuple):
    """A signal that another program sends."""

    name: str
    takes: str  # the signature of its values; with another one it is not heard
    on_signal: Callable[..., None]


class Interface(NamedTuple):
    name: str
    methods: dict[str, Method]
    properties: Callable[[], dict[str, Variant]]


class SessionBus:
    """One connection. `fileno()` is readable when `handle_ready()` has something to do, and −1
    once it is closed."""

    def __init__(self) -> None:
        self._connection = connect()
        self.unique_name: str = self._connection.unique_name
        self._offered: dict[tuple[str, str, str], Method] = {}
        self._on_answer: dict[int, Callable[[Body | None], None]] = {}
        self._on_owner: dict[str, Callable[[str], None]] = {}
        # By interface, name and types.
        self._on_signal: dict[tuple[str, str, str], Callable[..., None]] = {}

    def fileno(self) -> int:
        number: int = self._connection.sock.fileno()
        return number

    def close(self) -> None:
        self._connection.close()

    def offer(self, path: str, interface: Interface) -> None:
        """Answer calls of these methods and properties from now on."""
        for name, method in interface.methods.items():
            self._offered[path, interface.name, name] = method

        for name, method in property_methods(interface).items():
            self._offered[path, PROPERTIES, name] = method

    def call(
        self,
        owner: str,
        path: str,
        name: str,
        takes: str,
        arguments: Body,
        then: Callable[[Body | None], None],
    ) -> None:
        """Ask `owner` to do `name` (interface and method); `then` gets the answer, or None if it
        was refused."""
        interface, _, method = name.rpartition(".")
        self._ask(
            new_method_call(DBusAddress(path, owner, interface), method, takes, arguments), then
        )

    def emit(
        self, path: str, interface: str, name: str, gives: str = "", values: Body = ()
    ) -> None:
        self._send(new_signal(DBusAddress(path, interface=interface), name, gives or None, values))

    def follow(self, name: str, on_owner: Callable[[str], None]) -> None:
        """Report the owner of a well-known name, now and at every change; empty if it has none."""
        self._on_owner[name] = on_owner
        rule = MatchRule(
            type="signal",
            sender=message_bus.bus_name,
            interface=message_bus.interface,
            member="NameOwnerChanged",
            path=message_bus.object_path,
        )

        rule.add_arg_condition(0, name)  # without it every program that comes or goes would wake us
        self._ask(message_bus.AddMatch(rule), lambda _: None)
        self._ask(
            message_bus.GetNameOwner(name), lambda answer: on_owner(answer[0] if answer else "")
        )

    def listen(self, sender: str, path: str, interface: str, *heard: Heard) -> None:
        """Handle these signals until `unlisten`."""
        self._on_signal |= {(interface, one.name, one.takes): one.on_signal for one in heard}
        rule = MatchRule(type="signal", sender=sender, interface=interface, path=path)
        self._ask(message_bus.AddMatch(rule), lambda _: None)

    def unlisten(self, sender: str, path: str, interface: str) -> None:
        rule = MatchRule(type="signal", sender=sender, interface=interface, path=path)
        self._ask(message_bus.RemoveMatch(rule), lambda _: None)

    def handle_ready(self) -> None:
        """Handle everything that has arrived. A lost connection is closed."""
        for message in self._incoming():
            match message.header.message_type:
                case MessageType.method_call:
                    self._answer(message)
                case MessageType.signal:
                    self._hear(message)
                case MessageType.method_return:
                    self._end_call(message, message.body)
                case _:  # an error, or what a later version of the protocol may send
                    self._end_call(message, None)

    def _end_call(self, message: Message, body: Body | None) -> None:
        """Pass the answer to who asked; None means an error."""
        then = self._on_answer.pop(message.header.fields[HeaderFields.reply_serial], None)
        if then:
            then(body)

    def _incoming(self) -> Iterator[Message]:
        while self.fileno() >= 0:
            try:
                message = self._connection.receive(timeout=0)
            except TimeoutError:
                return
            except OSError:
                self.close()
                return

            yield message

    def _answer(self, message: Message) -> None:
        fields = message.header.fields
        path, interface, name = (
            fields.get(field, "")
            for field in (HeaderFields.path, HeaderFields.interface, HeaderFields.member)
        )

        method = self._offered.get((path, interface, name))
        if method is None:
            return self._refuse(message, "UnknownMethod", "There is no such method here.")
        if fields.get(HeaderFields.signature, "") != method.takes:
            return self._refuse(
                message, "InvalidArgs", f"The arguments must be of the types '{method.takes}'."
            )

        try:
            answer = method.answer(*message.body)
        except CallRefusedError as refusal:
            return self._refuse(message, "InvalidArgs", str(refusal))

        if not message.header.flags & MessageFlag.no_reply_expected:
            self._send(new_method_return(message, method.gives or None, answer))
        if method.then:
            method.then(*message.body)

        return None

    def _refuse(self, message: Message, error: str, sentence: str) -> None:
        if not message.header.flags & MessageFlag.no_reply_expected:
            self._send(new_error(message, f"org.freedesktop.DBus.Error.{error}", "s", (sentence,)))

    def _hear(self, message: Message) -> None:
        fields = message.header.fields
        from_the_bus = fields.get(HeaderFields.sender) == message_bus.bus_name
        if from_the_bus and fields.get(HeaderFields.member) == "NameOwnerChanged":
            name, _, owner = message.body
            if name in self._on_owner:
                self._on_owner[name](owner)

            return

        wanted = (HeaderFields.interface, HeaderFields.member, HeaderFields.signature)
        on_signal = self._on_signal.get(tuple(fields.get(one, "") for one in wanted))
        if on_signal:
            on_signal(*message.body)

    def _ask(self, message: Message, then: Callable[[Body | None], None]) -> None:
        serial = next(self._connection.outgoing_serial)
        self._on_answer[serial] = then
        self._send(message, serial)

    def _send(self, message: Message, serial: int | None = None) -> None:
        with suppress(OSError):  # a lost connection is noticed and reported at the next read
            self._connection.send(message, serial)


def property_methods(interface: Interface) -> dict[str, Method]:
    def get(_: str, name: str) -> Body:
        properties = interface.properties()
        if name not in properties:
            raise CallRefusedError(f"There is no property {name}.")

        return (properties[name],)

    return {
        "Get": Method("ss", "v", get),
        "GetAll": Method("s", "a{sv}", lambda _: (interface.properties(),)),
    }


def connect() -> DBusConnection:
    try:
        return DBusConnection(prep_socket(socket_of_the_session()))
    except (OSError, ValueError, RuntimeError) as error:
        # the last two are what jeepney raises for an address that it cannot use
        raise no_session_bus(f" ({error})") from error


def socket_of_the_session() -> str:
    address = session_bus_address(os.environ)
    if address is None:
        raise no_session_bus()

    path: str = get_bus(address)
    return path


def no_session_bus(detail: str = "") -> HeartbeatError:
    return HeartbeatError(
        f"No tray icon can be shown: the desktop's session bus cannot be reached{detail}.",
        (
            "Start it from within a desktop session, or use `heartbeat daemon`, which needs no "
            "desktop."
        ),
    )
