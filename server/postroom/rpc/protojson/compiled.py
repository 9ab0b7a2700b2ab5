"""Functions that print one type of message, written as source and compiled.

A loop over the fields takes twice as long. The source holds the names of fields
and nothing else that comes from outside; texts are constants beside it.
"""

import json
from collections.abc import Callable
from keyword import iskeyword
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message_factory import GetMessageClass

Print = Callable[[Any], str]


def key(name: str) -> str:
    """Return a member's key, with the comma before it."""
    return f",{json.dumps(name)}:"


def printing(
    descriptor: Descriptor,
    value: Callable[[FieldDescriptor], Print],
    name: Callable[[FieldDescriptor], str],
) -> Print:
    """Make the function that prints every field of a type, unset ones too."""
    names: dict[str, Any] = {"has": GetMessageClass(descriptor).HasField}
    for at, field in enumerate(descriptor.fields):
        member = key(name(field))
        names |= {f"k{at}": member, f"p{at}": value(field), f"a{at}": _absent(field, member)}
    if _starts_alike(descriptor):
        names |= {name: f"{{{names[name][1:]}" for name in ("k0", "a0")}
    exec(compile(_source(descriptor), f"<{descriptor.full_name}>", "exec"), names)  # noqa: S102 - only field names get into it
    printed: Print = names["printed"]
    return printed


def _source(descriptor: Descriptor) -> str:
    fields = list(enumerate(descriptor.fields))
    members = "".join(_member(at, field) for at, field in fields)
    lines = [
        "def printed(m):",
        *(f"v{at} = {_get(field)}" for at, field in fields if _is_kept(field)),
        f'return f"{members}}}}}"'
        if _starts_alike(descriptor)
        # Every member starts with its comma; the first comma is cut off.
        else f'return "{{" + f"{members}"[1:] + "}}"',
    ]
    return "\n ".join(lines)


def _starts_alike(descriptor: Descriptor) -> bool:
    """Tell whether every message prints the first field."""
    first = descriptor.fields[0] if descriptor.fields else None
    return first is not None and not (first.has_presence and first.containing_oneof)


def _member(at: int, field: FieldDescriptor) -> str:
    text = f"p{at}({f'v{at}' if _is_kept(field) else _get(field)})"
    if not field.has_presence:
        return f"{{k{at}}}{{{text}}}"
    is_set = f"{f'v{at} or ' if _is_kept(field) else ''}has(m, {field.name!r})"
    return f"{{k{at} + {text} if {is_set} else a{at}}}"


def _is_kept(field: FieldDescriptor) -> bool:
    """Tell whether a value that counts as true says that the field is set."""
    return field.has_presence and not field.message_type and not field.default_value


def _get(field: FieldDescriptor) -> str:
    return f"getattr(m, {field.name!r})" if iskeyword(field.name) else f"m.{field.name}"


def _absent(field: FieldDescriptor, member: str) -> str:
    """Return what stands for a field with presence while it is unset."""
    return "" if field.containing_oneof else f"{member}null"
