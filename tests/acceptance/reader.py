"""A process that reads mail and says what it asked for, and what it was given.

python -m tests.acceptance.reader GRPC_ADDRESS AGENT NAME
"""

import itertools
import json
import sys

from tests.acceptance.doors import GrpcDoor


def read_for_ever(address: str, agent: str, name: str) -> None:
    """Take one piece after another until killed."""
    door = GrpcDoor(address)
    for number in itertools.count():
        request_id = f"{name}-{number}"
        print(json.dumps({"begun": request_id}), flush=True)
        page = door.call("ReadMail", agent, limit=1, request_id=request_id).mail
        taken = [mail.id for mail in page]
        print(json.dumps({"answered": request_id, "taken": taken}), flush=True)


if __name__ == "__main__":
    read_for_ever(*sys.argv[1:])
