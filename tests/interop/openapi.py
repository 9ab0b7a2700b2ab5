"""The OpenAPI document: valid, and kept by a real server, as schemathesis sees it."""

import base64
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import urlopen

from tests.interop import stubs, toolchain
from tests.interop.server import Server
from tests.interop.toolchain import ToolFailed

SCHEMATHESIS = "schemathesis==4.32.5"
VALIDATOR = "openapi-spec-validator==0.9.0"
SEED = 20_261_201
_EXAMPLES = 30
_SECONDS = 240
_LEAST = 1_000


@dataclass(frozen=True)
class Finding:
    """A check that failed, with what was sent and answered."""

    check: str
    told: str
    request: str
    status: int
    headers: dict[str, Any]
    answer: Any

    def __str__(self) -> str:
        told, answer = " ".join(self.told.split())[:200], json.dumps(self.answer)[:300]
        return f"{self.check}: {told}: {self.request}: {self.status} {answer}"


def document(server: Server) -> str:
    """Check the document. Raises ToolFailed."""
    with TemporaryDirectory(prefix="postroom-openapi-") as folder:
        path = Path(folder) / "openapi.json"
        with urlopen(f"{server.url}/openapi.json", timeout=30) as answer:
            path.write_bytes(answer.read())
        tool = _environment().with_name("openapi-spec-validator")
        toolchain.run(tool, "--errors", "all", path, seconds=60)
        found = json.loads(path.read_text())
    return f"OpenAPI {found['openapi']}, {len(found['paths'])} paths, valid"


def behaviour(server: Server) -> str:
    """Put generated requests to the server. Raises ToolFailed when it breaks its word."""
    with TemporaryDirectory(prefix="postroom-openapi-") as folder:
        report = _report(server, Path(folder))
        sent, found = _read(report)
    meant: Counter[str] = Counter()
    rest = []
    for one in found:
        reason = next((name for name, is_so in _MEANT.items() if is_so(one)), "")
        meant[reason] += 1
        if not reason:
            rest.append(str(one))
    del meant[""]
    if rest or sent < _LEAST:
        told = "\n".join(list(dict.fromkeys(rest))[:15])
        raise ToolFailed(f"{sent} requests, {len(rest)} findings:\n{told}")
    reasons = ", ".join(f"{name} {count}" for name, count in sorted(meant.items()))
    return f"{sent} requests, 0 findings, as documented: {reasons}"


def _environment() -> Path:
    name = toolchain.fingerprint(SCHEMATHESIS, VALIDATOR)
    return stubs.environment(f"openapi-{name}", SCHEMATHESIS, VALIDATOR)


def _report(server: Server, folder: Path) -> Path:
    report, config = folder / "events.ndjson", folder / "schemathesis.toml"
    config.write_text("")
    command = (
        *(_environment().with_name("schemathesis"), "--config-file", config),
        *("run", f"{server.url}/openapi.json", "--seed", str(SEED), "--checks", "all"),
        *("--max-examples", str(_EXAMPLES), "--continue-on-failure", "--no-shrink"),
        *("--generation-deterministic",),
        # It would wait for mail that nobody sends.
        *("--exclude-path-regex", "mail:wait|WaitForMail"),
        *("--report", "ndjson", "--report-ndjson-path", report, "--no-color"),
    )
    try:
        toolchain.run(*command, cwd=folder, seconds=_SECONDS)
    except ToolFailed:
        # Findings end it with an error, too; the report tells them.
        if not report.exists():
            raise
    return report


def _read(report: Path) -> tuple[int, list[Finding]]:
    """How many requests were sent, and the checks that failed."""
    sent = 0
    found: list[Finding] = []
    with report.open() as lines:
        for line in lines:
            event = json.loads(line)
            if "ScenarioFinished" in event:
                recorder = event["ScenarioFinished"]["recorder"]
                sent += len(recorder.get("interactions", ()))
                found += _findings(recorder)
            if "NonFatalError" in event or "FatalError" in event:
                raise ToolFailed(line[:2000])
    return sent, found


def _findings(recorder: Any) -> Iterator[Finding]:
    for case, checks in recorder.get("checks", {}).items():
        told = recorder.get("interactions", {}).get(case) or {}
        response = told.get("response") or {"status_code": 0, "headers": {}}
        request = told.get("request") or {}
        asked = f"{request.get('method')} {request.get('uri')} {_text(request.get('body'))}"
        for check in checks:
            if check["status"] == "failure":
                failure = check["failure_info"]["failure"]
                text = f"{failure['title']}: {failure['message']}"
                answer = _json(_text(response.get("content")))
                status, headers = response["status_code"], response["headers"]
                yield Finding(check["name"], text, asked, status, headers, answer)


def _text(content: Any) -> str:
    if isinstance(content, dict):
        return base64.b64decode(content.get("$base64", "")).decode(errors="replace")
    return str(content or "")


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _other_method(found: Finding) -> bool:
    """The gateway's answer to a method that a path does not have is 501."""
    is_check = found.check in ("unsupported_method", "not_a_server_error")
    return is_check and found.status == 501 and found.answer["message"] == "Method Not Allowed"


def _unknown_field(found: Finding) -> bool:
    """Unknown fields are dropped, and the answer names them."""
    is_check = found.check == "negative_data_rejection" and found.status < 300
    return is_check and "postroom-ignored-fields" in found.headers


def _empty_body(found: Finding) -> bool:
    """A body that is empty or blank is the empty message."""
    _, _, body = found.request.split(" ", 2)
    return found.check == "negative_data_rejection" and not body.strip()


def _lenient(found: Finding) -> bool:
    """null leaves a field unset, an enum may be its number, a number may be in quotes."""
    path = re.search(
        r"in (body|query)(?: - ([\w >-]+))?: Incorrect type", " ".join(found.told.split())
    )
    if found.check != "negative_data_rejection" or not path:
        return False
    if path[1] == "query":
        return re.search(r"[?&](state|direction)=\d\b", found.request) is not None
    value = _json(found.request.split(" ", 2)[2])
    for name in (path[2] or "").split(" -> "):
        value = value.get(name) if isinstance(value, dict) else "?"
    return value is None or (not isinstance(value, bool) and str(value).lstrip("-").isdecimal())


def _beyond_schema(found: Finding) -> bool:
    """What no schema can state is told with its field, or hangs on the state of an agent."""
    if found.check != "positive_data_acceptance" or found.status != 400:
        return False
    named = any(detail.get("fieldViolations") for detail in found.answer["details"])
    stated = _STATED.search(found.answer["message"])
    return found.answer["code"] == _FAILED_PRECONDITION or (named and not stated)


_FAILED_PRECONDITION = 9
# Rules that the schema states: a request that keeps it never breaks them.
_STATED = re.compile(r"is required; give it a value|at most [\d,]+|must be \d+ or more")
_MEANT: dict[str, Callable[[Finding], bool]] = {
    "501 for another method": _other_method,
    "unknown field dropped": _unknown_field,
    "empty body": _empty_body,
    "lenient value": _lenient,
    "rule beyond the schema": _beyond_schema,
}
