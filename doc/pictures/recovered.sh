# Draws what is left of a container whose writer was killed: recovered.sh BUILD PICTURE
set -e
build=$1
picture=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
awk_program=$(dirname "$0")/recovered.awk

if "$build/million" "$folder/million.sion" 2>"$folder/log"; then
    echo "recovered.sh: the writer was not killed" >&2
    exit 1
fi
dd if=/dev/zero of="$folder/million.sion" bs=4096 seek=36000 count=1024 conv=notrunc 2>"$folder/log"
"$build/sionrecover" --json "$folder/million.sion" >"$folder/report.json"
awk -v whole=128 -f "$awk_program" "$folder/report.json" >"$picture"
