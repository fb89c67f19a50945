# SPDX-License-Identifier: Apache-2.0

"""Programs behind ``./dev bench`` that look for wrong results, and their modules."""
