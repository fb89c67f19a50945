# SPDX-License-Identifier: Apache-2.0

"""Programs of ``./dev bench`` that look for wrong results, and their shared modules."""
