"""Of Scripts/release.sh and Scripts/api.sh, on packages of the tests' own."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[1]
QUIET = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@localhost",
         "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@localhost"}


class Package(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, path, text):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def run_in(self, *words):
        return subprocess.run(words, cwd=self.folder, capture_output=True, text=True,
                              env=os.environ | QUIET | {"MERIDIAN": str(self.folder)})

    def script(self, name, *words):
        return self.run_in("sh", str(SCRIPTS / name), *words)


class Release(Package):
    def setUp(self):
        super().setUp()
        self.write("Sources/LocationModel/Service/Release.swift", '  package static let version = "1.2.0"\n')
        self.write("docs/man/locationd.8", '.TH LOCATIOND 8 "" "Meridian 1.2.0" "System Administration"\n')
        self.write("CHANGELOG.md", "# Changelog\n\n## 1.2.0 (not released yet)\n\n- New.\n\n## 1.1.0 (2026-01-01)\n\n- Old.\n")

    def test_a_tag_needs_a_date(self):
        self.assertEqual(self.script("release.sh", "check").returncode, 0)
        self.assertIn("does not date 1.2.0", self.script("release.sh", "check", "v1.2.0").stderr)
        self.assertEqual(self.script("release.sh", "date").returncode, 0)
        self.assertEqual(self.script("release.sh", "check", "v1.2.0").returncode, 0)
        self.write("CHANGELOG.md", "# Changelog\n\n## 1.2.0 (2026-01-01)\n")
        self.assertEqual(self.script("release.sh", "date").returncode, 1)

    def test_notes_are_those_of_the_version(self):
        self.assertEqual(self.script("release.sh", "notes").stdout.strip(), "- New.")

    def test_what_names_another_version_is_named(self):
        self.write("docs/man/locationd.8", '.TH LOCATIOND 8 "" "Meridian 1.1.0" "System Administration"\n')
        checked = self.script("release.sh", "check", "v1.1.0")
        self.assertEqual(checked.returncode, 1)
        self.assertIn("docs/man/locationd.8", checked.stderr)
        self.assertIn("the tag is v1.1.0", checked.stderr)


@unittest.skipUnless(shutil.which("swift"), "there is no Swift")
class Interface(Package):
    """A break that is planted in a release's interface is found; additions are none."""

    FACE = "public struct Place {\n  public var name: String\n  public func show() {}\n}\n"

    def setUp(self):
        super().setUp()
        self.write("Package.swift", """// swift-tools-version: 6.0
            import PackageDescription
            let package = Package(
              name: "Face",
              products: [
                .library(name: "Face", targets: ["Face"]),
              ],
              targets: [.target(name: "Face"), .target(name: "Inner")])
            """)
        self.write("Sources/Face/Face.swift", self.FACE)
        self.write("Sources/Inner/Inner.swift", "public struct Inner {}\n")
        self.commit("a release")
        self.run_in("git", "tag", "v1.0.0")

    def commit(self, message):
        for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", message]):
            done = self.run_in("git", *words)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_breaks(self):
        self.write("Sources/Face/Face.swift", self.FACE.replace("show()", "show(twice: Bool)"))
        self.commit("a break")
        found = self.script("api.sh")
        self.assertEqual(found.returncode, 1, found.stdout + found.stderr)
        self.assertIn("show()", found.stdout)
        # One that is meant.
        lines = [line.split("💔 ")[1] for line in found.stdout.splitlines() if "💔 " in line]
        self.write(".api-breaks", "\n".join(lines) + "\n")
        meant = self.script("api.sh")
        self.assertEqual(meant.returncode, 0, meant.stdout + meant.stderr)
        # What only adds, and what is inside.
        (self.folder / ".api-breaks").unlink()
        self.write("Sources/Face/Face.swift", self.FACE + "extension Place { public func hide() {} }\n")
        self.write("Sources/Inner/Inner.swift", "public struct Other {}\n")
        self.commit("an addition")
        added = self.script("api.sh")
        self.assertEqual(added.returncode, 0, added.stdout + added.stderr)

    def test_without_a_release(self):
        self.run_in("git", "tag", "-d", "v1.0.0")
        self.assertIn("no release", self.script("api.sh").stdout)
        self.assertEqual(self.script("api.sh", "v9").returncode, 2)


if __name__ == "__main__":
    unittest.main()
