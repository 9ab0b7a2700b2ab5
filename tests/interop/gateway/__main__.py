"""The oracle by itself: python -m tests.interop.gateway [seed]."""

import asyncio
import sys

from tests.interop.gateway.oracle import SEED, run

sys.exit(asyncio.run(run(int(sys.argv[1]) if len(sys.argv) > 1 else SEED)))
