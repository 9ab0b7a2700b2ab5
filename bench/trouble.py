"""What ends a measurement."""


class Trouble(Exception):
    """Something broke, or answers went missing; the text says what."""
