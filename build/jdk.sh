# Sourced by scripts: sets JAVA_HOME to a JDK 25, or says in one line that there is none and exits 2.
# The script sets `script`, the name it is known by.

is_jdk_25() {
  [ -x "$1/bin/javac" ] && grep -q '^JAVA_VERSION="25[".+-]' "$1/release" 2>/dev/null
}

# The home of the JDK on the PATH, where links lead to in the end.
jdk_on_path() {
  javac=$(command -v javac) && javac=$(readlink -f "$javac") && dirname "$(dirname "$javac")"
}

if ! is_jdk_25 "${JAVA_HOME:-}"; then
  JAVA_HOME=$(jdk_on_path)
fi
if ! is_jdk_25 "$JAVA_HOME"; then
  JAVA_HOME=$(
    for jdk in /usr/lib/jvm/*25*; do
      if is_jdk_25 "$jdk"; then
        echo "$(sed -n 's/^JAVA_VERSION="\(.*\)"$/\1/p' "$jdk/release") $jdk"
      fi
    done | sort -V | tail -n 1 | cut -d ' ' -f 2-
  )
  if [ -z "$JAVA_HOME" ]; then
    echo "$script: no JDK 25 found: set JAVA_HOME to one, have one on the PATH, or install one under /usr/lib/jvm" >&2
    exit 2
  fi
fi
export JAVA_HOME
