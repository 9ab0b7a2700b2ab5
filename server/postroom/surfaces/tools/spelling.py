"""How a tool spells the names of fields: as JSON does, or as the proto does."""

import re
from dataclasses import dataclass
from typing import Final

from google.protobuf.descriptor import FieldDescriptor

from postroom.rpc import protojson
from postroom.rpc.contract import Spec


@dataclass(frozen=True, slots=True)
class Spelling:
    """replyTo, or reply_to where `snake_case` is set."""

    snake_case: bool
    printer: protojson.Printer

    def of(self, field: FieldDescriptor) -> str:
        """The name of a field."""
        return str(field.name if self.snake_case else field.json_name)

    def word(self, name: str) -> str:
        """A name that stands in no proto, given in lowerCamel."""
        if not self.snake_case:
            return name
        return re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", name)


CAMEL: Final = Spelling(snake_case=False, printer=protojson.Printer())
SNAKE: Final = Spelling(snake_case=True, printer=protojson.Printer(proto_names=True))


def spelling_of(spec: Spec) -> Spelling:
    """The spelling of a method's tool."""
    return SNAKE if spec.spells_snake_case else CAMEL
