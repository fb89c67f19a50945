# SPDX-License-Identifier: Apache-2.0
"""A session without some hooks into Delta; ``./dev bench removed-hooks`` is the long version."""

from __future__ import annotations

from robustness.harness import removed_hooks

# Each of these is required by another hook, or creates state that another one removes.
RISKY = (
    "alter-column-validation",
    "checkpoint-stats",
    "code-point-tags",
    "domain-merge",
    "write-cast",
)


def test_removed_hooks_probe_every_documented_loss() -> None:
    table = removed_hooks.documented()

    assert {row.without for row in table.values()} == {*removed_hooks.LOSSES, removed_hooks.STOPS}
    assert {name for group in removed_hooks.GROUPS for name in group} <= set(table)


def test_removed_hooks_lose_only_documented_abilities() -> None:
    [outcome] = removed_hooks.sessions_without("fresh", RISKY)

    assert outcome.passed, str(outcome)
    assert outcome.lost == {
        "alter",
        "keep in checkpoints",
        "list twice",
        "rewrite while others append",
        "tag",
        "write by path to constraints",
    }
