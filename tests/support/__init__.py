# SPDX-License-Identifier: Apache-2.0
"""Helpers that tests, robustness runs and benchmarks share."""
