"""How a file differs from what it should be. Pure."""

from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from hashlib import sha256

from postroom.archive.findings import Fault, Finding
from postroom.archive.frontmatter import Unreadable, parted
from postroom.archive.letter import Letter
from postroom.attachment import Attachment

# Whether a content can be shown as an image of a media type.
IsImage = Callable[[bytes, str], bool]


def compared(
    path: str, content: bytes, letter: Letter, hidden: AbstractSet[str]
) -> Iterator[Finding]:
    """What is wrong with a copy of a message that has these hidden recipients."""
    expected = letter.written()
    if content == expected:
        return
    own_facts, own_body = parted(expected)
    try:
        facts, body = parted(content)
    except Unreadable:
        yield Finding(Fault.CHANGED_FRONT_MATTER, path)
        return
    if any(f'"{name}"' in facts for name in hidden - set(letter.bcc)):
        yield Finding(Fault.BCC_LEAKED, path)
    elif facts != own_facts:
        yield Finding(Fault.CHANGED_FRONT_MATTER, path)
    if body != own_body:
        yield Finding(Fault.CHANGED_BODY, path)


def faults_of_content(
    path: str, content: bytes, attachment: Attachment, is_image: IsImage
) -> Iterator[Finding]:
    """What is wrong with the content of an attachment."""
    if sha256(content).hexdigest() != attachment.sha256:
        yield Finding(Fault.ATTACHMENT_CHANGED, path)
    elif not is_image(content, attachment.media_type):
        yield Finding(Fault.ATTACHMENT_BROKEN, path)
