# SPDX-License-Identifier: Apache-2.0

"""The command line on damaged logs: it answers, or says in one line why it does not."""

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
SOUND = json.dumps(struct(SCHEMA))
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


def damaged_stats(chance: random.Random, path: Path) -> None:
    damages = corrupt_stats.DAMAGES if chance.random() < 0.998 else corrupt_stats.HUGE
    stats = chance.choice(damages)(chance, STATS, ICU)
    _commit(path, protocol(), metadata(SOUND), _add("a", stats), _add("b", json.dumps(STATS)))


def damaged_schema(chance: random.Random, path: Path) -> None:
    kinds = [kind for kind in corrupt_metadata.SCHEMAS if kind is not corrupt_metadata.many_entries]
    schema = chance.choice(kinds)(chance)
    _commit(path, protocol(), metadata(schema), _add("a", json.dumps(STATS)))


def damaged_properties(chance: random.Random, path: Path) -> None:
    action = metadata(SOUND, chance.choice(PROPERTIES))
    _commit(path, protocol(), action, _add("a", json.dumps(STATS)))


def damaged_actions(chance: random.Random, path: Path) -> None:
    """Let actions, or what is in them, be of a wrong type."""
    actions: list[Any] = [protocol(), metadata(SOUND), _add("a", json.dumps(STATS))]
    wrong = [corrupt_stats.wrong(chance), "text", "\ud800", 10**400]
    place = chance.randrange(len(actions))
    (kind, action), *_ = actions[place].items()
    if chance.random() < 0.3:
        actions[place] = chance.choice([*wrong, {kind: chance.choice(wrong)}])
    else:
        action[chance.choice(list(action))] = chance.choice(wrong)
    features = ["\x1b[31m\nx", "\ud800", "y" * 5000]
    if chance.random() < 0.2:
        actions[0] = protocol(minReaderVersion=3, readerFeatures=chance.sample(features, 2))
    _commit(path, *actions)


def damaged_bytes(chance: random.Random, path: Path) -> None:
    file = _commit(path, protocol(), metadata(SOUND), _add("a", json.dumps(STATS)))
    file.write_bytes(_flipped(chance, file.read_bytes()))


def damaged_checkpoint(chance: random.Random, path: Path) -> None:
    """Let bytes of a checkpoint, or the types of its columns, be wrong."""
    rows = [protocol(), metadata(SOUND), _add("a", json.dumps(STATS))]
    for action in (rows[1]["metaData"], rows[2]["add"]):
        for empty in ("configuration", "partitionValues", "format"):
            action.pop(empty, None)
    kinds: dict[str, list[Any]] = {
        kind: [row.get(kind) for row in rows] for kind in ("protocol", "metaData", "add")
    }
    parsed = {**STATS, "statsWithCollation": chance.choice([*corrupt_stats.WRONG[1:6], STATS])}
    if chance.random() < 0.5:
        kinds["add"][2] = {**kinds["add"][2], "stats": None, "stats_parsed": parsed}
    if chance.random() < 0.2:
        wrong: list[list[Any]] = [[1, 2, 3], ["a", "b", "c"], [[1], [2], []]]
        kinds[chance.choice(list(kinds))] = chance.choice(wrong)
    if chance.random() < 0.3:
        kinds["sidecar"] = [{"path": chance.choice(SIDECARS)}, None, None]
    file = path / "_delta_log" / f"{0:020}.checkpoint.parquet"
    file.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({kind: pa.array(values) for kind, values in kinds.items()}), file)
    if chance.random() < 0.5:
        file.write_bytes(_flipped(chance, file.read_bytes()))


def _flipped(chance: random.Random, content: bytes) -> bytes:
    at = chance.randrange(len(content))
    kinds: list[Callable[[], bytes]] = [
        lambda: content[:at],
        lambda: content[:at] + bytes([chance.randrange(256)]) + content[at + 1 :],
        lambda: content[:at] + chance.randbytes(9) + content[at + 9 :],
        lambda: content[:at] + content[at + 5 :],
        lambda: content[:at] + content[max(0, at - 20) :],
    ]
    return chance.choice(kinds)()


KINDS = {
    damaged_stats: 6, damaged_schema: 3, damaged_properties: 1, damaged_actions: 3,
    damaged_bytes: 4, damaged_checkpoint: 3,
}  # fmt: skip


def tried(folder: Path, seed: int, cases: int, findings: Findings) -> None:
    """Run the command line on so many logs, each damaged in a way of its own."""
    chance = random.Random(seed)  # noqa: S311
    for number in range(cases):
        (kind,) = chance.choices(list(KINDS), list(KINDS.values()))
        path = folder / f"table-{number}"
        kind(chance, path)
        findings.cases[f"command line: {kind.__name__}"] += 1
        started = time.process_time()
        wrong = judged(path)
        findings.timed(f"command line: {kind.__name__}", time.process_time() - started)
        if wrong:
            log = b"".join(file.read_bytes() for file in (path / "_delta_log").iterdir())
            findings.wrong.append(f"{kind.__name__} {number}: {wrong}: {log[:3000]!r}")
        shutil.rmtree(path)


def judged(path: Path, run: Callable[[list[str]], int] = main) -> str | None:
    """Return what is wrong with what the command line does, or None."""
    for command in (["status", "--json"], ["status"], ["columns"]):
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
        try:
            with redirect_stdout(out), redirect_stderr(err):
                code = run([*command, str(path), "--icu-version", ICU])
        except Exception as error:  # noqa: BLE001
            return f"{command}: {error!r}"
        said, error_said = (stream.buffer.getvalue().decode() for stream in (out, err))
        if code == 2 and (said or not re.fullmatch(r"delta-collations: .*\n", error_said)):
            return f"{command}: {said!r} {error_said!r}"
        if code != 2 and (error_said or code not in (0, 1)):
            return f"{command}: {code}, {error_said!r}"
        if re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e]", said + error_said):
            return f"{command}: it moves the cursor: {said!r} {error_said!r}"
        if code != 2 and command[-1] == "--json":
            json.loads(said)
    return None
