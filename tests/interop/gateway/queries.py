"""Query strings and path variables made from descriptors."""

import random
from collections.abc import Callable
from typing import Any
from urllib.parse import quote_from_bytes

from google.protobuf.descriptor import FieldDescriptor

from postroom.surfaces.gateway.fields import is_map
from tests.interop.gateway import texts
from tests.interop.gateway.tokens import Tokens

_KNOWN = "google.protobuf."
_NO_TEXT = ("ListValue", "Any", "Empty")
_ONLY_BROKEN = "broken"
_SAFE_IN_PATH = "!$&'()*+,;=:@-._~"

Known = Callable[[FieldDescriptor], str | None]
Parameters = list[tuple[str, str]]


class Queries:
    """Makes texts for fields. Of one query at most one thing is wrong.

    With two, the real gateway tells either, by chance.
    """

    def __init__(self, dice: random.Random, known: Known | None = None) -> None:
        self._dice = dice
        self._known = known or (lambda _: None)

    def query(self, descriptor: Any, taken: set[str]) -> str:
        """A query for the fields of a message, '' now and then."""
        dice = self._dice
        fields = [field for field in descriptor.fields if field.name not in taken]
        chosen = dice.sample(fields, min(len(fields), dice.randint(0, 3)))
        wrong = dice.random() < 0.4
        found: Parameters = []
        seen: set[str] = set()
        for field in chosen:
            oneof = field.containing_oneof.name if field.containing_oneof else field.name
            if oneof not in seen:
                seen.add(oneof)
                found += self._of_field(field, "", wrong=wrong and field is chosen[0])
        if dice.random() < 0.2:
            found.append(
                dice.choice((("nope", "1"), ("a.b", "x"), ("Text", "x"), ("", "y"), ("x[y]", "z")))
            )
        dice.shuffle(found)
        return self._joined(found, spoilt=not wrong and dice.random() < 0.1)

    def variable(self, descriptor: Any, path: str) -> str:
        """A path variable's text, escaped."""
        field = _at(descriptor, path)
        good, bad = self._pools(field)
        text = self._dice.choice(bad if bad and self._dice.random() < 0.3 else good)
        known = self._known(field)
        if known is not None and self._dice.random() < 0.8:
            text = known
        return self.escaped(text, _SAFE_IN_PATH)

    def escaped(self, text: str, safe: str = "") -> str:
        """Percent-escapes where they are needed, and at some places where they are not."""
        found = []
        for byte in text.encode("utf-8", "surrogateescape"):
            plain = quote_from_bytes(bytes([byte]), safe)
            code = f"%{byte:02X}" if self._dice.random() < 0.5 else f"%{byte:02x}"
            found.append(code if len(plain) > 1 or self._dice.random() < 0.05 else plain)
        return "".join(found)

    def _of_field(self, field: FieldDescriptor, before: str, *, wrong: bool) -> Parameters:
        dice = self._dice
        name = before + dice.choice((field.name, field.json_name))
        if wrong and dice.random() < 0.4:
            return self._misused(field, name)
        if is_map(field):
            return self._entry(field, name, wrong=wrong)
        message = field.message_type
        if message and not message.full_name.startswith(_KNOWN):
            if field.is_repeated:
                return [(name, "x")] if wrong else []
            inner = dice.choice(list(message.fields))
            return self._of_field(inner, f"{name}.", wrong=wrong) if name.count(".") < 3 else []
        if message and message.full_name.removeprefix(_KNOWN) in _NO_TEXT:
            return [(name, "{}")] if wrong else []
        good, bad = self._pools(field)
        values = dice.choices(good, k=dice.randint(1, 3) if field.is_repeated else 1)
        if wrong and bad:
            values[-1] = dice.choice(bad)
        known = self._known(field)
        return [(name, known if known is not None and not wrong else value) for value in values]

    def _misused(self, field: FieldDescriptor, name: str) -> Parameters:
        good, _ = self._pools(field)
        value = self._dice.choice(good)
        return self._dice.choice(
            (
                [(name, value), (name, value)],
                [(f"{name}.x", value)],
                [(f"{name}[k]", value)],
                [(f"{name}[]", value)],
                [(f"{name}[a][b]", value)],
                [(name.upper(), value)],
                [(f".{name}", value)],
                [(f"{name}.", value)],
                [(f"{name}[", value)],
                [(name, value)],
            )
        )

    def _entry(self, field: FieldDescriptor, name: str, *, wrong: bool) -> Parameters:
        entry: Any = field.message_type
        keys, bad_keys = self._pools(entry.fields_by_name["key"])
        value = entry.fields_by_name["value"]
        held = value.message_type
        if held and not held.full_name.startswith(_KNOWN):
            return [(f"{name}[1]", "x")] if wrong else []
        good, bad = self._pools(value)
        key = self._dice.choice(bad_keys if wrong and bad_keys else keys)
        chosen = self._dice.choice(bad if wrong and bad else good)
        return [(f"{name}[{key}]", chosen)] if "[" not in key and "]" not in key else []

    def _pools(self, field: FieldDescriptor) -> Tokens:
        if field.enum_type:
            numbers = map(str, field.enum_type.values_by_number)
            return (*field.enum_type.values_by_name, *numbers), texts.ENUM
        if field.message_type:
            name = field.message_type.full_name.removeprefix(_KNOWN)
            return texts.TEXT_OF_MESSAGE.get(name, (("x",), ()))
        return texts.TEXT_OF_TYPE[field.type]

    def _joined(self, parameters: Parameters, *, spoilt: bool) -> str:
        parts = [
            f"{self._escaped_name(name)}={self._escaped_value(value)}" for name, value in parameters
        ]
        if spoilt:
            parts.insert(
                self._dice.randint(0, len(parts)),
                self._dice.choice(
                    ("a=1;b=2", "x=%zz", "%", "x=%4", "%gg=1", "&&", "=", ";", "nope")
                ),
            )
        return "&".join(parts)

    def _escaped_name(self, name: str) -> str:
        return self.escaped(name, "[]._" if self._dice.random() < 0.7 else "._")

    def _escaped_value(self, value: str) -> str:
        plus = self._dice.random() < 0.5
        return (
            "+".join(self.escaped(part, "/:,?@!*'()") for part in value.split(" "))
            if plus
            else self.escaped(value, "/:,?@")
        )


def _at(descriptor: Any, path: str) -> FieldDescriptor:
    *parents, last = path.split(".")
    for name in parents:
        descriptor = descriptor.fields_by_name[name].message_type
    field: FieldDescriptor = descriptor.fields_by_name[last]
    return field
