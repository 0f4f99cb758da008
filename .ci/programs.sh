# For .ci/run and .ci/all: installs programs that the tests use, where that is possible.

# install_programs PACKAGE …: installs Debian packages under root. Tests that need one fail without it; elsewhere they are
# skipped, and reported as such.
install_programs() {
  local package
  if ! can_install; then return; fi
  for package in "$@"; do
    if dpkg -s "$package" >/dev/null 2>&1; then continue; fi
    if [ -z "$(apt-cache policy "$package" 2>/dev/null)" ]; then timeout 300 apt-get update -qq; fi
    DEBIAN_FRONTEND=noninteractive timeout 300 apt-get install -y -qq --no-install-recommends "$package" >/dev/null
  done
}

can_install() { command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; }
