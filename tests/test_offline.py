"""No network at run time: sockets are closed, and every command works."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

#: Read by Python when it starts: whoever makes a socket of the internet's ends the process.
CLOSED = """
import os, sys

def hook(event, arguments):
    if event.startswith("socket.") and event != "socket.__new__" or (
        event == "socket.__new__" and arguments[1] in (2, 10)
    ):
        sys.stderr.write(f"network: {event} {arguments}\\n")
        sys.stderr.flush()
        os._exit(99)

sys.addaudithook(hook)
"""


def run(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    (cwd / "closed").mkdir(exist_ok=True)
    (cwd / "closed" / "sitecustomize.py").write_text(CLOSED, "utf-8")
    path = os.pathsep.join([str(cwd / "closed"), str(ROOT), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, *words], cwd=cwd, env={**os.environ, "PYTHONPATH": path},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_a_test_that_wants_the_network_fails() -> None:
    wanted = r"wanted the network: \('192.0.2.1', 9\)"
    with socket.socket() as one, pytest.raises(AssertionError, match=wanted):
        one.connect(("192.0.2.1", 9))
    with pytest.raises(AssertionError, match=r"wanted the network: example.org"):
        socket.create_connection(("example.org", 80))


def test_a_process_that_wants_the_network_ends(tmp_path: Path) -> None:
    done = run("-c", "import socket; socket.create_connection(('192.0.2.1', 9), 0.1)", cwd=tmp_path)
    assert done.returncode == 99, done.stderr


def test_every_command_runs_with_sockets_closed(tmp_path: Path) -> None:
    done = run("-m", "tests.outputs", str(tmp_path / "made"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "made" / "article.html").exists()


@pytest.mark.once
def test_a_page_is_written_where_there_is_no_network_at_all(tmp_path: Path) -> None:
    alone = ["unshare", "--net", "--map-root-user"]
    if not shutil.which("unshare") or subprocess.run([*alone, "true"], check=False).returncode:
        pytest.skip("no network namespace can be made here")
    write = [sys.executable, "-m", "symattn", "write", "-o", str(tmp_path / "page.html")]
    subprocess.run([*alone, *write], cwd=ROOT, check=True, capture_output=True)
    assert (tmp_path / "page.html").stat().st_size > 1000
