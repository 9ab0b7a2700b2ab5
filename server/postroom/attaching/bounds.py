"""How much an image may be and take (security.md, section 6). Read by every worker."""

# Read from the header, before anything is decoded.
MOST_PIXELS = 24_000_000
MOST_FRAMES = 100
MOST_PIXELS_IN_ALL = 48_000_000
# WebP ends here; a longer side is scaled down to it.
LONGEST_SIDE = 16_383
# What one worker may take: address space, processor time and, on the caller's side, time.
MEMORY_BYTES = 512 * 1024 * 1024
PROCESSOR_SECONDS = 10
SECONDS = 11.0
WORKERS = 2
