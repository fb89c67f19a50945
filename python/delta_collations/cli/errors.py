# SPDX-License-Identifier: Apache-2.0
"""Errors of the command line."""


class CommandLineError(RuntimeError):
    """The table cannot be inspected; the message says why in one sentence."""
