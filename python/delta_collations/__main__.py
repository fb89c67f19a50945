# SPDX-License-Identifier: Apache-2.0
"""Runs the command line as ``python -m delta_collations``."""

import sys

from delta_collations.cli import main

sys.exit(main())
