"""The oracle by itself: python -m tests.interop.gateway [seed]."""

import asyncio
import sys

from tests.interop.gateway.oracle import SEED, run

if __name__ == "__main__":
    tally = asyncio.run(run(int(sys.argv[1]) if len(sys.argv) > 1 else SEED))
    sys.exit(0 if tally.passed else 1)
