"""Makes sure that the browser tests have a Chromium: the system's, else apt's when root, else Playwright's own."""

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def main() -> int:
    """Exit code 0 when a browser is there in the end."""
    if os.environ.get("CHROMIUM") or any(map(shutil.which, NAMES)):
        return 0
    if os.geteuid() == 0 and shutil.which("apt-get"):
        update = subprocess.run(["apt-get", "update", "-q"], check=False)
        install = ["apt-get", "install", "-y", "-q", "--no-install-recommends", "chromium", "fonts-dejavu-core"]
        if not update.returncode and not subprocess.run(install, check=False).returncode:
            return 0
    print("no Chromium on this system; asking Playwright for its own", file=sys.stderr)
    return subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
