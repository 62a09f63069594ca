#!/usr/bin/env bash
#
# Extracts Debian packages of another architecture into a folder, for builds with a cross compiler.
# apt keeps its lists for this in the folder, too, so that the system stays as it is.
#
#   scripts/sysroot.sh ARCHITECTURE FOLDER PACKAGE...

set -eu

if [ $# -lt 3 ]; then
    echo "Usage: sysroot.sh ARCHITECTURE FOLDER PACKAGE..." >&2
    exit 1
fi
architecture=$1
mkdir -p "$2/apt/lists/partial" "$2/apt/archives/partial"
folder=$(cd "$2" && pwd)
shift 2

cat > "$folder/apt/apt.conf" << EOF
APT::Architecture "$architecture";
APT::Architectures { "$architecture"; };
APT::Sandbox::User "$(id -un)";
Dir::State "$folder/apt";
Dir::State::status "$folder/apt/status";
Dir::Cache "$folder/apt";
Acquire::Retries "3";
EOF
: > "$folder/apt/status"
export APT_CONFIG=$folder/apt/apt.conf

cd "$folder/apt"
apt-get -q update
apt-get -q download "$@"
for package in ./*.deb; do
    dpkg -x "$package" "$folder"
done
