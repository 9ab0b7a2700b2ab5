"""The words for each failure, and the refusal of a field (security.md, sections 4 and 6)."""

from postroom.attaching import bounds
from postroom.attaching.failures import Failure, Unusable
from postroom.attachment import LARGEST_BYTES, LARGEST_TOTAL_BYTES, MOST_ATTACHMENTS
from postroom.errors import Forbidden, Refusal, Violation, invalid
from postroom.message import LONGEST_BODY_BYTES

MIB = 1024 * 1024

_WORDS = {
    Failure.BAD_IMAGE: "is no whole PNG, JPEG, GIF or WebP image",
    Failure.NOT_BASE64: "is no data URI of an image; write data:image/png;base64,…",
    Failure.TOO_MANY_BYTES: f"is larger than {LARGEST_BYTES // MIB} MiB",
    Failure.TOO_MANY_BYTES_IN_ALL: "makes the images of the message larger than "
    f"{LARGEST_TOTAL_BYTES // MIB} MiB in all",
    Failure.TOO_MANY_PIXELS: f"has more than {bounds.MOST_PIXELS // 10**6} megapixels; "
    "scale it down",
    Failure.TOO_MANY_FRAMES: f"has more than {bounds.MOST_FRAMES} frames, or "
    f"{bounds.MOST_PIXELS_IN_ALL // 10**6} megapixels in all of them",
    Failure.TOO_BIG_WHEN_CONVERTED: "is larger than "
    f"{LARGEST_BYTES // MIB} MiB as WebP; scale it down",
    Failure.TOO_COSTLY: "takes too much time or memory to convert; scale it down",
    Failure.TOO_COSTLY_BEFORE: "was left out, because another image of the message took too "
    "much time or memory to convert",
    Failure.PATH: "is no file that may be attached: name a regular file of at most "
    f"{LARGEST_BYTES // MIB} MiB below the project's files folder, without links, dots "
    "at the start of a name, or names that secrets have; or an attachment of a message that "
    "you take part in",
    Failure.PATHS_DISABLED: "is a path, and paths are read for callers on the server's machine "
    "only; send the bytes in attachments",
    Failure.TOO_MANY: f"was left out: a message carries at most {MOST_ATTACHMENTS} images",
    Failure.NO_PLACE: "could not be replaced in the body without touching other text; give the "
    "image a plain destination of its own",
    Failure.BODY_FULL: f"would make the body longer than {LONGEST_BODY_BYTES // 1024} KiB",
    Failure.TANGLED: "holds too much Markdown to be searched for images; send them as attachments",
}
_LARGE = {
    Failure.TOO_MANY_BYTES,
    Failure.TOO_MANY_BYTES_IN_ALL,
    Failure.TOO_MANY_PIXELS,
    Failure.TOO_MANY_FRAMES,
    Failure.TOO_BIG_WHEN_CONVERTED,
}
_REASONS = {
    Failure.BAD_IMAGE: "BAD_IMAGE",
    Failure.NOT_BASE64: "BAD_IMAGE",
    Failure.TOO_COSTLY: "IMAGE_TOO_COSTLY",
    Failure.PATH: "ATTACHMENT_PATH",
    Failure.PATHS_DISABLED: "PATHS_DISABLED",
} | dict.fromkeys(_LARGE, "IMAGE_TOO_LARGE")


def words(unusable: Unusable) -> str:
    """For the caller: goes on after the name of the field or of the image."""
    return _WORDS[unusable.failure]


def refusal(field: str, unusable: Unusable) -> Refusal:
    """The whole call is refused, because of one field."""
    if unusable.failure is Failure.TOO_MANY:
        return invalid(
            field, f"makes more than the {MOST_ATTACHMENTS} images of a message; send fewer"
        )
    if unusable.failure is Failure.PATHS_DISABLED:
        refused = Forbidden(f"{field}: {words(unusable)}", "PATHS_DISABLED")
        refused.violations = (Violation(field, words(unusable)),)
        return refused
    reason = _REASONS.get(unusable.failure, "INVALID_FIELD")
    return invalid(field, words(unusable), reason)
