"""The reference page: every method with its fields, as one HTML file without scripts."""

import base64
import hashlib
from collections.abc import Iterable, Iterator
from html import escape
from textwrap import dedent

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from postroom.rpc.contract import MAX_REQUEST_BYTES, Binding, Contract, Field, Spec
from postroom.rpc.schema import messages_in

_STYLE = dedent("""
    :root { color-scheme: light dark; --line: #8884; --soft: #8881; }
    body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto;
           padding: 1rem; overflow-wrap: anywhere; }
    nav ul { columns: 14rem; padding: 0; list-style: none; }
    section { border-top: 1px solid var(--line); margin-top: 2rem; }
    code, pre { font: 14px/1.5 ui-monospace, monospace; background: var(--soft); }
    pre { padding: .75rem; overflow-x: auto; }
    .scroll { overflow-x: auto; }
    table { border-collapse: collapse; width: 100%; overflow-wrap: normal; }
    th, td { border-bottom: 1px solid var(--line); padding: .4rem; text-align: left;
             vertical-align: top; }
    .mark { border: 1px solid var(--line); border-radius: 1rem; padding: 0 .6rem;
            font-size: .85rem; }
    """)


def policy() -> str:
    """The Content-Security-Policy under which the page works: its own style, nothing else."""
    digest = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; frame-ancestors 'none'"


def page(contract: Contract) -> str:
    """Write the page."""
    specs = contract.specs
    types = [*messages_in(m for spec in specs for m in _held(contract, spec))]
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8>",
        "<meta name=viewport content='width=device-width'><title>postroom reference</title>",
        f"<style>{_STYLE}</style><h1>postroom</h1>",
        "<p>Every operation, as gRPC, as JSON and as a command.",
        "<p><a href=/openapi.json>OpenAPI document</a><nav><ul>",
        *(f"<li><a href='#{spec.name}'>{spec.name}</a>" for spec in specs),
        "</ul></nav>",
        *(_method(contract, spec) for spec in specs),
        *(_type(contract, message) for message in types),
        "</html>",
    ]
    return "\n".join(parts)


def _method(contract: Contract, spec: Spec) -> str:
    marks = ["reads only" if spec.reads_only else "writes"]
    if spec.is_idempotent:
        marks.append("a repeat is harmless")
    if spec.roles:
        marks.append("offered to " + ", ".join(spec.roles))
    if spec.max_request_bytes != MAX_REQUEST_BYTES:
        marks.append(f"takes requests of {spec.max_request_bytes >> 20} MiB")
    if spec.resource:
        marks.append(spec.resource.uri)
    return "\n".join(
        [
            f"<section id='{spec.name}'><h2>{spec.name}</h2>",
            "<p>" + " ".join(f"<span class=mark>{escape(mark)}</span>" for mark in marks),
            *_paragraphs(spec.doc),
            f"<pre>{escape(_examples(spec))}</pre>",
            "<h3>Request</h3>",
            _table(spec.fields),
            "<h3>Response</h3>",
            _table(contract.fields(spec.output)),
            "</section>",
        ]
    )


def _examples(spec: Spec) -> str:
    bindings = spec.bindings or (Binding("POST", f"/{spec.full_name}"),)
    required = [field for field in spec.fields if field.required]
    flags = "".join(f" --{field.name.replace('_', '-')} …" for field in required)
    routes = [f"{binding.verb} {binding.template}" for binding in bindings]
    return "\n".join([*routes, f"grpc {spec.full_name}", f"postroom rpc {spec.kebab_name}{flags}"])


def _table(fields: Iterable[Field]) -> str:
    rows = [
        f"<tr><td><code>{field.json_name}</code><td>{_kind(field)}<td>{escape(_meaning(field))}"
        for field in fields
    ]
    if not rows:
        return "<p>Nothing.</p>"
    head = "<tr><th>field<th>type<th>meaning"
    return f"<div class=scroll><table>{head}{''.join(rows)}</table></div>"


def _kind(field: Field) -> str:
    if field.message is not None:
        name = f"<a href='#{field.message.name}'>{field.message.name}</a>"
    elif field.enum is not None:
        name = "<br>".join(value.name for value in field.enum.values)
    elif field.words:
        name = "<br>".join(map(escape, field.words))
    else:
        name = _SCALAR_NAMES.get(field.descriptor.type, "number")
    return f"list of {name}" if field.repeated else name


def _meaning(field: Field) -> str:
    rules = ["Required."] if field.required else []
    if field.max_characters:
        rules.append(f"At most {field.max_characters:,} characters.")
    if field.max_bytes:
        rules.append(f"At most {field.max_bytes:,} bytes.")
    if field.max_items:
        rules.append(f"At most {field.max_items} values.")
    return " ".join([*field.doc.split(), *rules])


def _type(contract: Contract, message: Descriptor) -> str:
    doc = "".join(_paragraphs(contract.docs.get(message.full_name, "")))
    table = _table(contract.fields(message))
    return f"<section id='{message.name}'><h2>{message.name}</h2>{doc}{table}</section>"


def _held(contract: Contract, spec: Spec) -> Iterator[Descriptor]:
    for field in (*spec.fields, *contract.fields(spec.output)):
        if field.message is not None:
            yield field.message


def _paragraphs(doc: str) -> Iterator[str]:
    for paragraph in doc.split("\n\n"):
        yield f"<p>{escape(' '.join(paragraph.split()))}"


_SCALAR_NAMES = {
    FieldDescriptor.TYPE_STRING: "string",
    FieldDescriptor.TYPE_BYTES: "base64",
    FieldDescriptor.TYPE_BOOL: "true or false",
    FieldDescriptor.TYPE_INT32: "int32",
}
