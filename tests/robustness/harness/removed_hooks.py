# SPDX-License-Identifier: Apache-2.0
"""Checks sessions without some of the hooks into Delta, and the features that they lose."""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark import SparkConf, SparkContext
from robustness.harness.hook_probes import Probes
from robustness.harness.sessions import small_builder
from support.processes import ROOT, python_environment

if TYPE_CHECKING:
    from collections.abc import Iterator

# Related hooks that are removed together: they change the same method, require each other, or
# handle the same data.
GROUPS = (
    (
        "skipping-data-filters",
        "skipping-bounds-column",
        "skipping-bounds-cache",
        "skipping-file-filter",
    ),
    ("domain-merge", "domain-merged"),
    ("checkpoint-state", "checkpoint-stats", "checkpoint-cleanup"),
    ("protocol-upgrade", "write-versions"),
    ("write-versions", "write-versions-isolation"),
    ("write-cast", "code-point-tags"),
    ("stats-collector", "code-point-tags"),
    ("stats-collector", "binary-bounds"),
    ("alter-column-type", "alter-column-validation"),
    ("schema-merge", "write-cast", "dependent-check"),
    ("merge-insert-only", "merge-insert-only-files"),
    ("scan-report", "scan-count-only"),
    ("type-check", "metadata-check"),
    ("protocol-check", "protocol-upgrade"),
    ("stream-schema", "stream-schema-tracking"),
    ("kernel-schema-reading", "kernel-schema-writing"),
)

STOPS = "the session does not start"
LATE = (
    "the error for dropping domainMetadata from a collated table does not name collations "
    "if Delta was loaded before the extension"
)

# The losses in the table of hooks of `scala/README.md`, and the abilities of `Probes` behind them.
LOSSES = {
    "collated tables without the table feature get it only when their metadata changes": {
        "add the feature"
    },
    "tables do not list the collation versions that statistics were written for": {"list"},
    "OPTIMIZE may conflict with a concurrent append when it lists a collation version": {
        "rewrite while others append"
    },
    "of two concurrent commits that list a collation version, one fails": {
        "list twice",
        # An OPTIMIZE lists the version too.
        "rewrite while others append",
    },
    # Only one of the sessions loads Delta before the extension.
    LATE: set(),
    "collated tables without a table feature that they require cannot be opened": {
        "open without the feature"
    },
    "tables with an unsupported collation cannot be opened": {"open unknown collations"},
    "the collation of an existing column cannot be changed": {"alter"},
    "path-based writes to a column with a constraint must have the collation of the column": {
        "write by path to constraints"
    },
    "path-based and streaming writes must have the collation of the column": {
        "write by path",
        "write by path to constraints",
    },
    "files are written without statistics for collated columns": {"collect"},
    "collated columns have no bounds in binary order": {"binary bounds"},
    "files are not skipped by filters on collated columns": {"skip"},
    "MERGE reads all files of its target that the condition does not exclude": {"merge by keys"},
    "MERGE reads all files of its target if it only inserts rows": {"insert by keys"},
    "collation_explain collects the files that a query would read to the driver": {"count"},
    "query plans do not show which files were skipped": {"show"},
    "files lose their collated statistics with their first deletion vector": {
        "keep with deletion vectors"
    },
    "recomputing statistics drops those of other ICU versions": {"keep when recomputed"},
    "checkpoints without JSON statistics lose the bounds of collated columns": {
        "keep in checkpoints"
    },
    "files are not tagged with the code points of their collated columns": {"tag"},
    "tables cannot be clustered by a collated column": {"cluster"},
    "OPTIMIZE FULL ignores files that were laid out before the collation of a column has changed": {
        "lay out again"
    },
    "delta.dataSkippingStatsColumns cannot name a collated column": {"choose statistics"},
    "streams stop when the collation of a column of their source changes": {"continue stream"},
    "streams with a schema tracking location stop when the collation of a column of their source "
    "changes": {"continue tracked stream"},
    "Delta's Kernel-based connector cannot read collated tables": {"use Kernel"},
    "tables with a collated column cannot be created, only read and appended to": {
        "create",
        "alter",
        "choose statistics",
    },
}


@dataclass(frozen=True)
class DocumentedHook:
    """A row of the table of hooks."""

    requires: frozenset[str]
    without: str


def documented() -> dict[str, DocumentedHook]:
    """Return the table of hooks in `scala/README.md`."""
    row = re.compile(r"^\| `([a-z-]+)` \| `.+?` \| .+? \| (.*?)\| (.+) \|$", re.MULTILINE)
    found = row.findall((ROOT / "scala" / "README.md").read_text("utf-8"))
    return {
        name: DocumentedHook(frozenset(re.findall(r"`(.+?)`", requires)), without.replace("`", ""))
        for name, requires, without in found
    }


def missing_with(removed: tuple[str, ...], hooks: dict[str, DocumentedHook]) -> set[str]:
    """Return the removed hooks, and those that require one of them."""
    missing = set(removed)
    while more := {name for name, row in hooks.items() if row.requires & missing} - missing:
        missing |= more
    return missing


@dataclass(frozen=True)
class Outcome:
    """The outcome of a session without some hooks."""

    removed: tuple[str, ...]
    lost: frozenset[str]
    expected: frozenset[str]
    faults: tuple[str, ...]
    seconds: float

    @property
    def passed(self) -> bool:
        """Whether there are no faults, and the lost abilities are exactly the documented ones."""
        return self.lost == self.expected and not self.faults

    def __str__(self) -> str:
        """Return a line of the report, and one for each fault."""
        lost = ", ".join(sorted(self.lost)) or "nothing"
        comparison = (
            "as documented" if self.lost == self.expected else f"NOT {sorted(self.expected)}"
        )
        head = (
            f"{' + '.join(self.removed) or 'none':58} {self.seconds:4.0f} s  {comparison}: {lost}"
        )
        return "\n".join([head, *(f"    FAULT {fault}" for fault in self.faults)])


def expected_losses(missing: set[str], *, late: bool) -> set[str]:
    """Return the documented losses of a session without these hooks."""
    hooks = documented()
    sentences = {hooks[name].without for name in missing}
    if STOPS in sentences:
        return {STOPS}
    late_loss = {"name dependent features"} if late and "dependent-features" in missing else set()
    return late_loss.union(*(LOSSES[sentence] for sentence in sentences))


def sessions_without(
    how: str, *rows: tuple[str, ...], archive: Path | None = None
) -> Iterator[Outcome]:
    """Run all probes in a session without the hooks of each row, and yield the outcomes.

    If ``how`` is ``fresh`` or ``late``, there is one row, and its hooks look for methods that Delta
    does not have. If it is ``late``, Delta has also computed its features before the extension is
    loaded. If it is ``same``, one session unregisters the hooks of each row from the bridge that
    changed methods call. The extension does the same with hooks that require a missing one.
    """
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+") as errors:
        worker = subprocess.Popen(
            [sys.executable, __file__, "--session", how, folder, str(archive or "")]
            + ["+".join(row) for row in rows],
            stdout=subprocess.PIPE,
            stderr=errors,
            env=python_environment(),
            text=True,
        )
        assert worker.stdout is not None
        answers = (json.loads(line) for line in worker.stdout if line.startswith('{"lost"'))
        for row in rows:
            missing = missing_with(row, documented())
            answer = next(answers, None)
            if answer is None:
                errors.seek(0)
                crash = f"the session crashed: {errors.read()[-3000:]}"
                answer = {"lost": [], "untried": [], "faults": [crash]}
            elif how != "same" and answer["missing"] and set(answer["missing"]) != missing:
                answer["faults"].append(f"missing are {answer['missing']}, not {sorted(missing)}")
            ended = time.monotonic()
            yield Outcome(
                row,
                frozenset(answer["lost"]),
                # An ability that needs a missing one was not tried.
                frozenset(expected_losses(missing, late=how == "late") - set(answer["untried"])),
                tuple(answer["faults"]),
                ended - started,
            )
            started = ended
        worker.wait()


def work(how: str, folder: str, archive: str, *rows: str) -> None:
    """Run the session in this process."""
    builder = small_builder(cores=2, archive=archive or None)
    conf = SparkConf().setAll(list(builder._options.items()))  # noqa: SLF001
    SparkContext._ensure_initialized(conf=conf)  # noqa: SLF001
    jvm = SparkContext._jvm  # noqa: SLF001
    assert jvm is not None
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    if how == "late":
        features = module(loader, "org.apache.spark.sql.delta.TableFeature$")
        features.getDependentFeatures(features.featureNameToFeature("domainMetadata").get())
    if how != "same":
        remove_methods(loader, set(rows[0].split("+")))
    try:
        spark = builder.getOrCreate()
    except Exception as error:  # noqa: BLE001
        faults = [] if "COLLATIONS_DELTA_PATCH_FAILED" in str(error) else [str(error)]
        report = {"lost": [STOPS], "untried": [], "missing": [], "faults": faults}
        print(json.dumps(report), flush=True)
        return
    outcomes = elements(module(loader, "org.deltacollations.delta.patch.DeltaPatch$").status())
    pairs = [(each.productElement(0), each.productElement(1)) for each in outcomes]
    missing = [hook.name() for hook, outcome in pairs if "Missing" in outcome.toString()]
    bridge = jvm.org.apache.spark.sql.delta.CollationsBridge.HOOKS
    for number, row in enumerate(rows):
        names = missing_with(tuple(filter(None, row.split("+"))), documented())
        unregistered = {name: bridge.remove(name) for name in names} if how == "same" else {}
        jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()
        place = Path(folder) / str(number)
        place.mkdir()
        probes = Probes(spark, place)
        abilities = probes.run()
        report = {
            "lost": [name for name, works in abilities.items() if works is False],
            "untried": [name for name, works in abilities.items() if works is None],
            "missing": missing,
            "faults": probes.faults,
        }
        print(json.dumps(report), flush=True)
        for name, function in unregistered.items():
            bridge.put(name, function)


def remove_methods(loader: Any, names: set[str]) -> None:  # noqa: ANN401
    """Change hooks so that they look for methods that Delta does not have."""
    for hook in elements(module(loader, "org.deltacollations.delta.DeltaHooks$").all()):
        if hook.name() in names:
            method = hook.getClass().getDeclaredField("method")
            method.setAccessible(True)
            method.set(hook, "removed")


def module(loader: Any, name: str) -> Any:  # noqa: ANN401
    return loader.loadClass(name).getField("MODULE$").get(None)


def elements(collection: Any) -> list[Any]:  # noqa: ANN401
    iterator = collection.iterator()
    found = []
    while iterator.hasNext():
        found.append(iterator.next())
    return found


def needs_own_jvm(row: tuple[str, ...]) -> bool:
    """Return whether the extension uses one of these hooks only when it starts."""
    return not {"feature-registry", "schema-writing", "code-point-tags"}.isdisjoint(row)


def main() -> None:
    """Remove each hook and each group, or only the given ones, as in ``a b+c``.

    JVMs take long to start, so without ``--fresh``, hooks get their own JVM only if they need it.
    """
    names = [name for name in sys.argv[1:] if name != "--fresh"]
    is_whole = not names
    every = [(), *((name,) for name in documented()), *GROUPS]
    rows = every if is_whole else [tuple(filter(None, name.split("+"))) for name in names]
    fresh = rows if "--fresh" in sys.argv else [row for row in rows if needs_own_jvm(row)]
    same = [row for row in rows if row not in fresh]
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / "classes.jsa"
        runs = [sessions_without("fresh", row, archive=archive) for row in fresh]
        if is_whole:
            runs.append(sessions_without("late", ("dependent-features",), archive=archive))
        if same:
            runs.append(sessions_without("same", *same, archive=archive))
        outcomes = []
        for outcome in itertools.chain.from_iterable(runs):
            print(outcome, flush=True)
            outcomes.append(outcome)
    good = sum(outcome.passed for outcome in outcomes)
    print(f"{len(outcomes)} removals, {good} of them as documented and without faults.")
    sys.exit(good < len(outcomes))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--session"]:
        work(*sys.argv[2:])
    else:
        main()
