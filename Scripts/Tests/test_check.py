"""What check.sh says at its end, with everything that it runs replaced."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parent.parent


def check(nspawn):
    """The last line and the status, when Scripts/nspawn.sh does this."""
    with tempfile.TemporaryDirectory() as folder:
        scripts = pathlib.Path(folder) / "Scripts"
        scripts.mkdir()
        shutil.copy(SCRIPTS / "check.sh", scripts)
        replaced = {"toolchain.sh": "", "bootstrap.sh": "", "lint.sh": "", "docs.sh": "",
                    "nspawn.sh": nspawn, "make": "", "swift": ""}
        for name, body in replaced.items():
            (scripts / name).write_text(f"#!/bin/sh\n{body}\n")
            (scripts / name).chmod(0o755)
        run = subprocess.run(
            [scripts / "check.sh"], capture_output=True, text=True,
            env=dict(os.environ, PATH=f"{scripts}:{os.environ['PATH']}"))
        return (run.stdout.splitlines() or [""])[-1], run.returncode


class Check(unittest.TestCase):
    def test_skipped(self):
        line, status = check("echo 'skipped: containers need root' >&2; exit 77")
        self.assertEqual(status, 0)
        self.assertIn("SKIPPED the units", line)
        self.assertIn("containers need root", line)

    def test_passed(self):
        line, status = check("exit 0")
        self.assertEqual(status, 0)
        self.assertIn("everything passed", line)

    def test_failed(self):
        self.assertEqual(check("exit 1")[1], 1)


if __name__ == "__main__":
    unittest.main()
