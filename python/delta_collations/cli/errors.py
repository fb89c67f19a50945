# SPDX-License-Identifier: Apache-2.0
"""Errors of the command line."""


class CommandLineError(RuntimeError):
    """The command line cannot answer, and says why in one sentence."""
