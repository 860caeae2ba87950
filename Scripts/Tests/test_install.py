"""`make install` and `make uninstall`: what they put where, and that nothing of it stays."""

import configparser
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def make(*arguments, **variables):
    return subprocess.run(
        ["make", "--no-print-directory", *arguments, *(f"{k}={v}" for k, v in variables.items())],
        cwd=ROOT, capture_output=True, text=True, check=True).stdout


class InstallTests(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.stage = Path(self.folder.name) / "stage"
        # Programs that say nothing: what is tested is where they go.
        self.built = Path(self.folder.name) / "built"
        self.built.mkdir()
        for name in ["locationctl", "locationd"]:
            program = self.built / name
            program.write_text("#!/bin/sh\n")
            program.chmod(0o755)

    def install(self, prefix="/opt/test"):
        make("install", DESTDIR=self.stage, PREFIX=prefix, BUILT=self.built)
        return self.stage / prefix.lstrip("/")

    def files(self):
        return sorted(p for p in self.stage.rglob("*") if not p.is_dir())

    def test_installs_programs_pages_completions_units_and_examples(self):
        place = self.install()
        for name in [
            "bin/locationctl", "bin/locationd", "share/man/man1/locationctl.1",
            "share/man/man8/locationd.8", "share/bash-completion/completions/locationd",
            "share/zsh/site-functions/_locationd", "share/fish/vendor_completions.d/locationd.fish",
            "lib/systemd/system/locationd.service", "lib/systemd/system/locationd.socket",
            "lib/systemd/user/locationd.service", "lib/systemd/user/locationd.socket",
            "lib/sysusers.d/locationd.conf", "lib/sysusers.d/locationfleet.conf",
            "share/doc/meridian/locationd.conf", "share/meridian/org.meridian.location.varlink",
            "share/meridian/org.meridian.administration.varlink",
            "share/meridian/org.meridian.agent.varlink", "share/meridian/console/index.html",
            "share/meridian/console/console.js",
        ]:
            self.assertTrue((place / name).is_file(), name)
        self.assertEqual((place / "bin/locationd").stat().st_mode & 0o777, 0o755)
        self.assertEqual((place / "share/man/man8/locationd.8").stat().st_mode & 0o777, 0o644)

    def test_installs_the_policy_of_the_bus_where_it_is_read(self):
        name = "dbus-1/system.d/meridian-geoclue.conf"
        self.install()
        policy = self.stage / "etc" / name
        self.assertIn('<allow own="org.freedesktop.GeoClue2"/>', policy.read_text())
        self.assertEqual(policy.stat().st_mode & 0o777, 0o644)
        policy.unlink()
        self.assertTrue((self.install("/usr") / "share" / name).is_file())
        self.assertFalse(policy.exists())

    def test_installs_the_rule_for_scans_where_polkit_reads_it(self):
        name = "polkit-1/rules.d/50-meridian-wifi.rules"
        self.install()
        rule = self.stage / "etc" / name
        self.assertIn("org.freedesktop.NetworkManager.wifi.scan", rule.read_text())
        self.assertEqual(rule.stat().st_mode & 0o777, 0o644)
        place = self.install("/usr")
        self.assertTrue((place / "share" / name).is_file())

    def test_units_start_the_program_where_it_was_installed(self):
        place = self.install("/usr")
        for kind in ["system", "user"]:
            text = (place / f"lib/systemd/{kind}/locationd.service").read_text()
            self.assertIn("ExecStart=/usr/bin/locationd", text)

    def test_makes_the_folder_of_apps_that_are_started_and_leaves_what_they_registered(self):
        launch = self.stage / "etc/locationd/launch"
        self.install()
        self.assertEqual(launch.stat().st_mode & 0o777, 0o755)
        make("uninstall", DESTDIR=self.stage, PREFIX="/opt/test", BUILT=self.built)
        self.assertFalse(launch.parent.exists())
        self.install()
        (launch / "org.example.boat").write_text("")
        make("uninstall", DESTDIR=self.stage, PREFIX="/opt/test", BUILT=self.built)
        self.assertEqual(self.files(), [launch / "org.example.boat"])

    def test_uninstalls_everything_and_nothing_else(self):
        place = self.install()
        other = place / "share/man/man1/other.1"
        other.write_text("")
        make("uninstall", DESTDIR=self.stage, PREFIX="/opt/test", BUILT=self.built)
        self.assertEqual(self.files(), [other])
        self.assertFalse((place / "share/meridian").exists())
        self.assertFalse((place / "share/doc/meridian").exists())

    def test_the_package_of_geoclue_starts_the_agent_in_graphical_sessions(self):
        path = ROOT / "systemd/geoclue/locationctl-agent.desktop"
        entry = configparser.ConfigParser(interpolation=None)
        entry.optionxform = str
        entry.read(path)
        entry = dict(entry["Desktop Entry"])
        self.assertEqual(entry["Type"], "Application")
        # Not in menus, in every desktop, and in none from which the package is gone.
        self.assertEqual(entry["NoDisplay"], "true")
        self.assertFalse({"OnlyShowIn", "NotShowIn", "Hidden"} & set(entry))
        program, verb, option = entry["Exec"].split()
        links = (ROOT / "packaging/debian/meridian-geoclue.links").read_text().split()
        self.assertEqual(links, [program[1:], entry["TryExec"][1:]])
        verbs = (ROOT / "Sources/locationctl/Verbs/Agent.swift").read_text()
        self.assertIn(f'name: "{verb}"', verbs)
        self.assertIn(f'name: "{option.removeprefix("--")}"', verbs)
        files = (ROOT / "packaging/debian/meridian-geoclue.install").read_text().splitlines()
        self.assertIn("etc/xdg/autostart", files)
        self.assertIn(f"{path.relative_to(ROOT)} \"$stage/etc/xdg/autostart/", (ROOT / "Scripts/deb.sh").read_text())
        # No daemon of a user's own is started with it.
        self.assertNotIn("locationd", entry["Exec"])
        if shutil.which("desktop-file-validate"):
            subprocess.run(["desktop-file-validate", path], check=True)

    def test_completions_of_locationd_name_every_option(self):
        source = (ROOT / "Sources/LocationDaemon/DaemonOptions.swift").read_text()
        options = set(re.findall(r'case "--([a-z]+)"', source))
        self.assertGreaterEqual(len(options), 6)
        for shell in ["bash", "zsh", "fish"]:
            text = (ROOT / f"systemd/completions/locationd.{shell}").read_text()
            mark = "-l {}" if shell == "fish" else "--{}"
            for option in options:
                self.assertIn(mark.format(option), text, f"{shell} {option}")

    def test_bash_completes_options_and_sources(self):
        script = """
          . systemd/completions/locationd.bash
          COMP_WORDS=({}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _locationd
          echo "${{COMPREPLY[@]}}"
        """
        for typed, offered in [("locationd --so", "--source --socket"), ("locationd --source gp", "gpsd:// gpx://")]:
            said = subprocess.run(
                ["bash", "-c", script.format(typed)], cwd=ROOT, capture_output=True, text=True)
            self.assertEqual(said.stdout.strip(), offered)

    def test_the_example_configuration_has_every_key_as_a_comment(self):
        source = (ROOT / "Sources/LocationDaemon/Configuration.swift").read_text()
        keys = set(re.findall(r'case "([a-z-]+)":', source))
        example = (ROOT / "systemd/locationd.conf").read_text()
        for key in keys:
            self.assertRegex(example, rf"(?m)^#{key} = ")
        for line in example.splitlines():
            self.assertTrue(line == "" or line.startswith("#"), line)


if __name__ == "__main__":
    unittest.main()
