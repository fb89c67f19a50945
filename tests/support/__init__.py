# SPDX-License-Identifier: Apache-2.0
"""Helpers that tests, long runs and benchmarks share."""
