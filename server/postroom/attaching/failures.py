"""Why an image cannot be attached. Small, because every worker starts with it."""

from enum import StrEnum


class Failure(StrEnum):
    """What is wrong with an image. The worker answers with these words, too."""

    BAD_IMAGE = "bad-image"
    NOT_BASE64 = "not-base64"
    TOO_MANY_BYTES = "too-many-bytes"
    TOO_MANY_BYTES_IN_ALL = "too-many-bytes-in-all"
    TOO_MANY_PIXELS = "too-many-pixels"
    TOO_MANY_FRAMES = "too-many-frames"
    TOO_BIG_WHEN_CONVERTED = "too-big-when-converted"
    TOO_COSTLY = "too-costly"
    TOO_COSTLY_BEFORE = "too-costly-before"
    PATH = "path"
    PATHS_DISABLED = "paths-disabled"
    TOO_MANY = "too-many"
    NO_PLACE = "no-place"
    BODY_FULL = "body-full"
    TANGLED = "tangled"


class Unusable(Exception):
    """An image cannot be attached. In the body that is reported, elsewhere it refuses."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure)
        self.failure = failure
