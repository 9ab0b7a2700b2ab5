"""One HTTP route of a method: how its parts of a request become the message."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from google.protobuf.message import Message

from postroom.rpc.contract import Binding, Spec
from postroom.rpc.protojson import BLANK, Printer, Reader, parse
from postroom.surfaces.gateway import plain
from postroom.surfaces.gateway.fields import field_at, holder
from postroom.surfaces.gateway.mask import mask_field, mask_of
from postroom.surfaces.gateway.query import Parameters, populate
from postroom.surfaces.gateway.template import parse as parse_template
from postroom.surfaces.gateway.variables import check_variable, set_variables

WHOLE: Final = "*"
_WITHOUT_BODY: Final = ("GET", "DELETE", "HEAD")


class Route:
    """A method with one of its bindings."""

    def __init__(self, spec: Spec, binding: Binding) -> None:
        """Check the binding against the request. Raises ValueError for a rule that cannot work."""
        self.spec = spec
        self.verb = binding.verb
        self.template = parse_template(binding.template)
        self._body = () if binding.body in ("", WHOLE) else tuple(binding.body.split("."))
        self._reads_body = bool(binding.body)
        if binding.body and binding.verb in _WITHOUT_BODY:
            raise ValueError(f"{spec.full_name}: a {binding.verb} cannot have a body; drop it")
        for variable in self.template.variables:
            check_variable(spec.input, variable.path)
        paths = (variable.path for variable in self.template.variables)
        bound = [tuple(path.split(".")) for path in paths]
        self._bound = [*bound, self._body] if self._body else bound
        # Where the path and the body bind every field, nobody looks at the query.
        free = {field.name for field in spec.input.fields} - {".".join(one) for one in self._bound}
        self.reads_query = binding.body != WHOLE and bool(free)
        self._body_field: Any = field_at(spec.input, self._body) if self._body else None
        self._mask = mask_field(spec.input) if self.verb == "PATCH" and self._body else ""
        self._answer = (
            field_at(spec.output, [binding.response_body]) if binding.response_body else None
        )

    @property
    def answers_whole(self) -> bool:
        """Whether the answer is the whole response, and no field of it."""
        return self._answer is None

    def request(
        self,
        body: bytes,
        variables: Mapping[str, str],
        query: Callable[[], Parameters],
        reader: Reader,
        *,
        strict: bool,
    ) -> tuple[Message, list[str]]:
        """Make the request; return it with the JSON paths that were dropped.

        Raises Failure or JsonInvalid.
        """
        message = self.spec.request_class()
        ignored = self._read_body(message, body, reader, strict=strict) if self._reads_body else []
        set_variables(message, variables, reader)
        if self.reads_query:
            populate(message, query(), self._bound, reader)
        return message, ignored

    def answer(self, message: Message, printer: Printer) -> str:
        """Return the answer, or the field of it that the rule asks for, as JSON."""
        if self._answer is None:
            return printer.text(message)
        return plain.printed(message, self._answer, printer)

    def _read_body(
        self, message: Message, body: bytes, reader: Reader, *, strict: bool
    ) -> list[str]:
        value = parse(body)
        if self._body_field is None:
            return [] if value is BLANK else reader.read(value, message, strict=strict)
        held = holder(message, self._body)
        if self._body_field.message_type is None or self._body_field.is_repeated:
            if value is BLANK:
                plain.touch(held, self._body_field)
            else:
                plain.fill(held, self._body_field, value, reader)
            return []
        target = getattr(held, self._body_field.name)
        target.SetInParent()
        ignored = [] if value is BLANK else reader.read(value, target, strict=strict)
        if self._mask:
            self._fill_mask(message, value)
        return ignored

    def _fill_mask(self, message: Any, value: Any) -> None:
        mask = getattr(message, self._mask)
        mask.SetInParent()
        if not mask.paths and value is not BLANK:
            mask.paths.extend(mask_of(value, self._body_field.message_type))
