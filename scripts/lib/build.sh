# shellcheck shell=bash
# Sourced by the scripts that build: what a build needs, and the builds themselves. Needs install.sh beside it.
#
#   build_packages          installs what compiling warmtrace takes
#   build_preset PRESET TESTS TARGET...
#                           configures a preset of CMakePresets.json with (ON) or without (OFF) its tests and builds the targets

build_packages() {
  need_packages gcc g++ libc6-dev cmake ninja-build pkg-config clang llvm bpftool libbpf-dev libelf-dev zlib1g-dev \
    libzstd-dev libxxhash-dev libcurl4-openssl-dev
}

build_preset() {
  local preset=$1 tests=$2 log
  shift 2
  # Warnings end a build in CI, where somebody reads them; not on a user's machine with a compiler that we have not seen.
  local werror=OFF
  [ "${CI:-}" = true ] && werror=ON
  log=$(mktemp)
  if ! cmake --preset "$preset" -DBUILD_TESTING="$tests" -DWARMTRACE_WERROR=$werror >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    install_say "cannot configure the $preset build: cmake's words are above"
    return 1
  fi
  rm -f "$log"
  cmake --build --preset "$preset" --target "$@"
}
