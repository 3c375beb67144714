# shellcheck shell=bash
# Sourced after install.sh: packages of another Debian suite than this machine's, to unpack and not to install.
#
#   suite_open SUITE DIR          fetches the suite's package lists into DIR, with nothing of this machine's apt touched
#   suite_apt DIR COMMAND...      runs an apt command on them
#
# Lists of suites that get no more releases expire; apt refuses them then, and so does suite_open (1).

suite_open() { # SUITE DIR
  local suite=$1 dir=$2 main security arch key=/usr/share/keyrings/debian-archive-keyring.gpg
  arch=$(dpkg --print-architecture)
  [ "$(id -u)" -ne 0 ] || install_update_lists
  main=$(debian_uri Debian) || { install_say "cannot use Debian $suite: apt knows no Debian mirror here"; return 1; }
  security=$(debian_uri Debian-Security) || security=
  mkdir -p "$dir"/{lists/partial,archives/partial,state}
  : >"$dir/status"
  cat >"$dir/conf" <<END
Dir::Etc::SourceList "$dir/list"; Dir::Etc::SourceParts "/dev/null"; Dir::State "$dir/state";
Dir::State::status "$dir/status"; Dir::State::Lists "$dir/lists"; Dir::Cache "$dir";
APT::Architecture "$arch"; APT::Architectures "$arch"; APT::Sandbox::User "$(id -un)";
Acquire::Languages "none"; Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false"; Acquire::Retries "3";
END
  echo "deb [arch=$arch signed-by=$key] $main $suite main" >"$dir/list"
  if [ -n "$security" ] && [ "$suite" != sid ]; then
    echo "deb [arch=$arch signed-by=$key] $security $suite-security main" >>"$dir/list"
  fi
  suite_apt "$dir" apt-get -qq update >&2
}

suite_apt() { # DIR COMMAND...
  local dir=$1
  shift
  APT_CONFIG=$dir/conf "$@"
}
