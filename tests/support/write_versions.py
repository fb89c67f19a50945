# SPDX-License-Identifier: Apache-2.0
"""The domain metadata ``collations`` in the log of a table."""

import json
from typing import Any

import pyarrow.parquet as pq

from support.platforms import HAS_KERNEL
from support.platforms import ICU as CURRENT_ICU
from support.tables import Json, Table, clear_log_cache, kernel_snapshot

COLLATED = "name STRING COLLATE UNICODE_CI"

# The write versions listed for a table of one such column.
LISTED_VERSIONS = {"icu.UNICODE_CI": [CURRENT_ICU]}


def domain_action(configuration: Any, name: str = "collations", *, removed: bool = False) -> Json:  # noqa: ANN401
    """Return a domain metadata action; a configuration that is not a string is written as JSON."""
    text = configuration if isinstance(configuration, str) else json.dumps(configuration)
    return {"domainMetadata": {"domain": name, "configuration": text, "removed": removed}}


REMOVAL = domain_action({"writeVersions": LISTED_VERSIONS}, removed=True)


def append_commit(table: Table, *actions: Json) -> Table:
    """Write the next commit without Spark, as another engine does."""
    path = table.path / "_delta_log" / f"{len(table.log.commits):020}.json"
    path.write_text("".join(json.dumps(action) + "\n" for action in actions))
    return table


def domains_in_commit(table: Table, version: int) -> list[str]:
    """Return the domains that one commit changes."""
    found = [action.get("domainMetadata") for action in table.log.commits[version]]
    return [action["domain"] for action in found if action]


def listed_versions(table: Table) -> list[Json]:
    """Return the versions listed by each commit that changes the domain, oldest first."""
    actions = table.log.actions("domainMetadata")
    configurations = [
        action["configuration"] for action in actions if action["domain"] == "collations"
    ]
    return [json.loads(configuration)["writeVersions"] for configuration in configurations]


def current_domain(table: Table, name: str = "collations") -> str | None:
    """Return a domain's configuration read by Delta Kernel, or by Delta where Kernel is missing."""
    if not HAS_KERNEL:
        return domains_in_delta(table).get(name)
    found = kernel_snapshot(table.spark, table.path).getDomainMetadata(name)
    return str(found.get()) if found.isPresent() else None


def domains_in_delta(table: Table) -> dict[str, str]:
    """Return the configuration of each domain after Delta has read the log again."""
    clear_log_cache(table)
    jvm, session = table.spark._jvm, table.spark._jsparkSession  # noqa: SLF001
    assert jvm is not None
    log = jvm.org.apache.spark.sql.delta.DeltaLog.forTable(session, str(table.path))
    found = log.unsafeVolatileSnapshot().domainMetadata().iterator()
    actions = []
    while found.hasNext():
        actions.append(found.next())
    return {each.domain(): each.configuration() for each in actions if not each.removed()}


def checkpointed_domains(table: Table) -> list[str]:
    """Return the domains in the newest checkpoint."""
    newest = max((table.path / "_delta_log").glob("*.checkpoint.parquet"))
    rows = pq.read_table(newest, columns=["domainMetadata"]).to_pylist()
    return sorted(row["domainMetadata"]["domain"] for row in rows if row["domainMetadata"])
