# SPDX-License-Identifier: Apache-2.0
"""The examples, versions and links of the README, and the demo."""

import re
import subprocess
from pathlib import Path

import pyspark
import pytest
from support import platforms
from support.processes import ROOT, run_in_new_process

README = (ROOT / "README.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    """Return the code blocks of one language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


def test_readme_python_examples_run_and_print_documented_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    output = run_in_new_process("\n".join(blocks("python")))

    cells = re.findall(r"^\|\s*([^\s|]+)\s*\|$", output, re.MULTILINE)
    assert "pruned by collate" in output
    assert (tmp_path / "people.png").exists()
    assert cells == ["name", "Zoë", "name", "Åsa", "bob", "Zoë"]


def test_readme_spark_submit_command_starts_application(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [command] = [block for block in blocks("sh") if "spark-submit" in block]
    command = command.replace(platforms.PLATFORMS[0]["delta"], platforms.DELTA)
    (tmp_path / "app.py").write_text(
        "from pyspark.sql import SparkSession\n"
        "spark = SparkSession.builder.getOrCreate()\n"
        "spark.sql('CREATE TABLE t (c STRING COLLATE UNICODE_CI) USING delta')\n"
        "spark.sql(\"INSERT INTO t VALUES ('Bob')\")\n"
        "print('found', spark.sql(\"SELECT c FROM t WHERE c = 'BOB'\").collect()[0].c)\n"
    )
    # Users do not have the Spark settings of ./dev.
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    monkeypatch.setenv("PATH", str(ROOT / ".dev" / "venv" / "bin"), prepend=":")
    # PySpark's scripts do not find SPARK_HOME in a directory whose name contains a space.
    monkeypatch.setenv("SPARK_HOME", str(Path(pyspark.__file__).parent))
    done = subprocess.run(
        ["/bin/bash", "-c", command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert "found Bob" in done.stdout, done.stderr


def test_readme_starts_with_demo_and_test_commands() -> None:
    assert [line.split("#")[0].strip() for line in blocks("sh")[0].splitlines()] == [
        "./dev demo",
        "./dev test",
    ]


def test_readme_lists_supported_platforms() -> None:
    listed = [(spark, delta) for _, spark, delta in platforms.RELEASES]

    assert re.findall(r"^\| (\d[\d.]+) \| ([\d.]+) \|", README, re.MULTILINE) == listed
    assert [name for name, _, _ in platforms.RELEASES] == [
        each["name"] for each in platforms.PLATFORMS
    ]
    assert platforms.PLATFORMS[0]["delta"] in README


def test_document_links_to_files_are_valid() -> None:
    documents = list(ROOT.glob("*.md")) + [
        ROOT / folder / "README.md"
        for folder in ("scala", "tests", "tests/robustness", "tests/robustness/data", "python")
    ]
    documents += (ROOT / "docs").glob("*.md")
    broken = [
        f"{path.relative_to(ROOT)}: {link}"
        for path in documents
        for link in re.findall(r"\]\((?!https?:)([^)#]+)[^)]*\)", path.read_text("utf-8"))
        if not (path.parent / link).exists()
    ]
    assert broken == []


def test_demo_shows_main_features() -> None:
    output = run_in_new_process(
        "import runpy; runpy.run_module('delta_collations.demo', run_name='__main__')"
    )

    assert re.search(r"\| Zoë +\|", output)
    assert "7 by collated statistics\n    FilesRead: 1\n" in output
    assert "German       Apfel  äpple  Ärger  Öl  Ost  Zebra  zoo" in output
    assert "Swedish      Apfel  Ost  Zebra  zoo  äpple  Ärger  Öl" in output
    assert '"__COLLATIONS": {"given": "icu.UNICODE_CI_AI"}' in output
