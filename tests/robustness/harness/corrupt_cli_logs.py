# SPDX-License-Identifier: Apache-2.0

"""Checks the command line on corrupt logs: it answers, or prints a one-line error."""

from __future__ import annotations

import io
import json
import random
import re
import shutil
import time
from contextlib import redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
from delta_collations.cli import main
from robustness.harness import corrupt_metadata, corrupt_stats
from robustness.harness.corrupt_tables import SCHEMA, line, metadata, protocol, struct

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from robustness.harness.corrupt_tables import Findings
    from support.tables import Json

ICU = "78.3"
BOUNDS = {"name": "Anna", "home": {"city": "Anna"}}
KEYS = {f"icu.UNICODE_CI.{ICU}": BOUNDS, f"spark.UTF8_LCASE.{ICU}": {"low": "Anna"}}
STATS: Json = {
    "numRecords": 3,
    "nullCount": {"name": 0, "low": 0, "home": {"city": 0}},
    "statsWithCollation": {key: {"minValues": of, "maxValues": of} for key, of in KEYS.items()},
}
VALID_SCHEMA = json.dumps(struct(SCHEMA))
PROPERTIES: list[dict[str, Any]] = [
    {"delta.dataSkippingStatsColumns": "`" * 9999},
    {"delta.dataSkippingStatsColumns": "`a``b`.c,`" + "``" * 5000 + "x"},
    {"delta.dataSkippingNumIndexedCols": "9" * 5000},
    {"delta.dataSkippingNumIndexedCols": [7]},
]
SIDECARS = [
    "..%2F..%2F..%2Fetc%2Fpasswd",
    "../x.parquet",
    "..",
    "",
    "%00.parquet",
    "a\\..\\b.parquet",
]


def _commit(path: Path, *actions: Json, version: int = 0) -> Path:
    file = path / "_delta_log" / f"{version:020}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"".join(map(line, actions)))
    return file


def _add(name: str, stats: object) -> Json:
    return {"add": {"path": name, "size": 9, "partitionValues": {}, "stats": stats}}


def with_corrupt_stats(rng: random.Random, path: Path) -> None:
    corruptions = corrupt_stats.CORRUPTIONS if rng.random() < 0.998 else corrupt_stats.HUGE
    stats = rng.choice(corruptions)(rng, STATS, ICU)
    _commit(
        path, protocol(), metadata(VALID_SCHEMA), _add("a", stats), _add("b", json.dumps(STATS))
    )


def with_corrupt_schema(rng: random.Random, path: Path) -> None:
    kinds = [kind for kind in corrupt_metadata.SCHEMAS if kind is not corrupt_metadata.many_entries]
    schema = rng.choice(kinds)(rng)
    _commit(path, protocol(), metadata(schema), _add("a", json.dumps(STATS)))


def with_corrupt_properties(rng: random.Random, path: Path) -> None:
    action = metadata(VALID_SCHEMA, rng.choice(PROPERTIES))
    _commit(path, protocol(), action, _add("a", json.dumps(STATS)))


def with_corrupt_actions(rng: random.Random, path: Path) -> None:
    """Write actions or fields of actions with a wrong type."""
    actions: list[Any] = [protocol(), metadata(VALID_SCHEMA), _add("a", json.dumps(STATS))]
    wrong = [corrupt_stats.wrong_value(rng), "text", "\ud800", 10**400]
    place = rng.randrange(len(actions))
    (kind, action), *_ = actions[place].items()
    if rng.random() < 0.3:
        actions[place] = rng.choice([*wrong, {kind: rng.choice(wrong)}])
    else:
        action[rng.choice(list(action))] = rng.choice(wrong)
    features = ["\x1b[31m\nx", "\ud800", "y" * 5000]
    if rng.random() < 0.2:
        actions[0] = protocol(minReaderVersion=3, readerFeatures=rng.sample(features, 2))
    _commit(path, *actions)


def with_corrupt_bytes(rng: random.Random, path: Path) -> None:
    file = _commit(path, protocol(), metadata(VALID_SCHEMA), _add("a", json.dumps(STATS)))
    file.write_bytes(_changed_bytes(rng, file.read_bytes()))


def with_corrupt_checkpoint(rng: random.Random, path: Path) -> None:
    """Write a checkpoint with wrong bytes or wrong column types."""
    rows = [protocol(), metadata(VALID_SCHEMA), _add("a", json.dumps(STATS))]
    for action in (rows[1]["metaData"], rows[2]["add"]):
        for empty in ("configuration", "partitionValues", "format"):
            action.pop(empty, None)
    kinds: dict[str, list[Any]] = {
        kind: [row.get(kind) for row in rows] for kind in ("protocol", "metaData", "add")
    }
    parsed = {**STATS, "statsWithCollation": rng.choice([*corrupt_stats.WRONG[1:6], STATS])}
    if rng.random() < 0.5:
        kinds["add"][2] = {**kinds["add"][2], "stats": None, "stats_parsed": parsed}
    if rng.random() < 0.2:
        wrong: list[list[Any]] = [[1, 2, 3], ["a", "b", "c"], [[1], [2], []]]
        kinds[rng.choice(list(kinds))] = rng.choice(wrong)
    if rng.random() < 0.3:
        kinds["sidecar"] = [{"path": rng.choice(SIDECARS)}, None, None]
    file = path / "_delta_log" / f"{0:020}.checkpoint.parquet"
    file.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({kind: pa.array(values) for kind, values in kinds.items()}), file)
    if rng.random() < 0.5:
        file.write_bytes(_changed_bytes(rng, file.read_bytes()))


def _changed_bytes(rng: random.Random, content: bytes) -> bytes:
    at = rng.randrange(len(content))
    kinds: list[Callable[[], bytes]] = [
        lambda: content[:at],
        lambda: content[:at] + bytes([rng.randrange(256)]) + content[at + 1 :],
        lambda: content[:at] + rng.randbytes(9) + content[at + 9 :],
        lambda: content[:at] + content[at + 5 :],
        lambda: content[:at] + content[max(0, at - 20) :],
    ]
    return rng.choice(kinds)()


KINDS = {
    with_corrupt_stats: 6, with_corrupt_schema: 3, with_corrupt_properties: 1,
    with_corrupt_actions: 3, with_corrupt_bytes: 4, with_corrupt_checkpoint: 3,
}  # fmt: skip


def check_logs(folder: Path, seed: int, cases: int, findings: Findings) -> None:
    """Run the command line on this number of logs, each with a random corruption."""
    rng = random.Random(seed)  # noqa: S311
    for number in range(cases):
        (kind,) = rng.choices(list(KINDS), list(KINDS.values()))
        path = folder / f"table-{number}"
        kind(rng, path)
        findings.cases[f"command line: {kind.__name__}"] += 1
        started = time.process_time()
        wrong = find_problem(path)
        findings.timed(f"command line: {kind.__name__}", time.process_time() - started)
        if wrong:
            log = b"".join(file.read_bytes() for file in (path / "_delta_log").iterdir())
            findings.wrong.append(f"{kind.__name__} {number}: {wrong}: {log[:3000]!r}")
        shutil.rmtree(path)


def find_problem(path: Path, run: Callable[[list[str]], int] = main) -> str | None:
    """Return what is wrong with the behavior of the command line, or None."""
    for command in (["status", "--json"], ["status"], ["columns"]):
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
        try:
            with redirect_stdout(out), redirect_stderr(err):
                code = run([*command, str(path), "--icu-version", ICU])
        except Exception as error:  # noqa: BLE001
            return f"{command}: {error!r}"
        output, error_output = (stream.buffer.getvalue().decode() for stream in (out, err))
        if code == 2 and (output or not re.fullmatch(r"delta-collations: .*\n", error_output)):
            return f"{command}: {output!r} {error_output!r}"
        if code != 2 and (error_output or code not in (0, 1)):
            return f"{command}: {code}, {error_output!r}"
        if re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e]", output + error_output):
            return f"{command}: it prints control characters: {output!r} {error_output!r}"
        if code != 2 and command[-1] == "--json":
            json.loads(output)
    return None
