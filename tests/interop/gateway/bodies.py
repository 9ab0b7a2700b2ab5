"""JSON bodies made from descriptors: valid ones, wrong ones, and damaged ones."""

import random
from typing import Any

from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor

from postroom.surfaces.gateway.fields import is_map
from tests.interop.gateway import tokens

_DEEPEST = 3
_KNOWN = "google.protobuf."
_KEYS = {
    FieldDescriptor.TYPE_STRING: (
        ("a", "b", "", "k k", "\\u00e9", "fail", "fail", "why", "bin"),
        ("\\ud800", "\udcff"),
    ),
    FieldDescriptor.TYPE_BOOL: (("true", "false"), ("1", "", "True")),
}
_WHOLE_KEYS = (("0", "1", "-5", "42"), ("01", "1.0", "+1", "", "x", " 1", "1e1", "9" * 30))
_JUNK = '{}[]",:0e-+.\\ tnu/\x00'
_BLANKS = ("", " ", "\n", "\t ", "\r\n")


class Bodies:
    """Makes JSON for messages; about a quarter has something wrong."""

    def __init__(self, dice: random.Random, known: Any = None) -> None:
        """`known` gives texts that mean something for a field, or None."""
        self._dice = dice
        self._known = known or (lambda _: None)
        self._wrong = False

    def body(self, descriptor: Any) -> bytes:
        """A body for a message."""
        self._wrong = self._dice.random() < 0.3
        text = self._dressed(self.message(descriptor))
        return text.encode("utf-8", "surrogateescape")

    def value_of(self, field: FieldDescriptor) -> bytes:
        """A body for one field."""
        self._wrong = self._dice.random() < 0.3
        return self._dressed(self._value(field, 0)).encode("utf-8", "surrogateescape")

    def message(self, descriptor: Any, depth: int = 0) -> str:
        """An object for a message."""
        dice = self._dice
        most = 2 if depth else 5
        chosen = dice.sample(
            list(descriptor.fields), min(len(descriptor.fields), dice.randint(0, most))
        )
        if not self._wrong:
            chosen = _one_of_each_oneof(chosen)
        members = [(self._name(field), self._value(field, depth)) for field in chosen]
        if dice.random() < 0.15:
            members.append(self._unknown())
        if self._wrong and members and dice.random() < 0.15:
            members.append(dice.choice(members))
        dice.shuffle(members)
        return (
            "{"
            + self._joined([f'"{name}"{self._blank()}:{value}' for name, value in members])
            + "}"
        )

    def _name(self, field: FieldDescriptor) -> str:
        name = self._dice.choice((field.name, field.json_name))
        if self._dice.random() < 0.05:
            at = self._dice.randrange(len(name))
            return f"{name[:at]}\\u{ord(name[at]):04x}{name[at + 1 :]}"
        return str(name)

    def _unknown(self) -> tuple[str, str]:
        good, bad = tokens.ANYTHING
        pool = good + bad if self._wrong else good
        return self._dice.choice(("nope", "[ext.a]", "Text", "", "@type")), self._dice.choice(pool)

    def _value(self, field: FieldDescriptor, depth: int) -> str:
        dice = self._dice
        if dice.random() < 0.04:
            return dice.choice(("null", "[]", "{}", '""')) if self._wrong else "null"
        if is_map(field):
            return self._entries(field, depth)
        if not field.is_repeated:
            return self._single(field, depth)
        values = [self._single(field, depth) for _ in range(dice.randint(0, 3))]
        if not self._wrong:
            values = [value for value in values if value != "null"]
        return f"[{self._joined(values)}]"

    def _single(self, field: FieldDescriptor, depth: int) -> str:
        known = self._known(field)
        if known is not None and self._dice.random() < 0.7:
            return f'"{known}"'
        if field.enum_type:
            return self._enum(field.enum_type)
        name = field.message_type.full_name if field.message_type else ""
        if name.startswith(_KNOWN):
            return self._choose(tokens.JSON_OF_MESSAGE[name.removeprefix(_KNOWN)])
        if name:
            return "{}" if depth >= _DEEPEST else self.message(field.message_type, depth + 1)
        return self._choose(tokens.JSON_OF_TYPE[field.type])

    def _enum(self, enum: EnumDescriptor) -> str:
        names = [f'"{name}"' for name in enum.values_by_name]
        numbers = [str(number) for number in enum.values_by_number]
        return self._choose(((*names, *numbers, *tokens.ENUM_ODD), tokens.ENUM_BAD))

    def _entries(self, field: FieldDescriptor, depth: int) -> str:
        entry: Any = field.message_type
        keys = _KEYS.get(entry.fields_by_name["key"].type, _WHOLE_KEYS)
        found = {}
        for _ in range(self._dice.randint(0, 3)):
            found[self._choose(keys)] = self._single(entry.fields_by_name["value"], depth + 1)
        pairs = [f'"{key}":{value}' for key, value in found.items()]
        return "{" + self._joined(pairs) + "}"

    def _choose(self, pools: tokens.Tokens) -> str:
        good, bad = pools
        return self._dice.choice(bad if self._wrong and self._dice.random() < 0.4 else good)

    def _joined(self, parts: list[str]) -> str:
        return ",".join(f"{self._blank()}{part}{self._blank()}" for part in parts)

    def _blank(self) -> str:
        return self._dice.choice(_BLANKS) if self._dice.random() < 0.1 else ""

    def _dressed(self, text: str) -> str:
        """The text as it is, or with something done to it."""
        dice = self._dice
        if dice.random() > 0.2:
            return text
        at = dice.randrange(len(text) + 1)
        return dice.choice(
            (
                "",
                "  \r\n",
                text[:at],
                text[:at] + text[at + 1 :],
                text[:at] + dice.choice(_JUNK) + text[at:],
                f"{text} junk",
                f"{text}{text}",
                f"\n {text} ",
                f"[{text}]",
                f"\ufeff{text}",
                f"/* no */{text}",
                text.replace("}", ",}", 1),
                text.replace('"', "'"),
                f'{{"nope":{"[" * 50}{"]" * 50}}}',
                f'{{"nope":{"[" * 10001}}}',
                "null",
                '"text"',
                "5",
            )
        )


def _one_of_each_oneof(fields: list[FieldDescriptor]) -> list[FieldDescriptor]:
    found: dict[str, FieldDescriptor] = {}
    for field in fields:
        oneof = field.containing_oneof
        found.setdefault(oneof.name if oneof else field.name, field)
    return list(found.values())
