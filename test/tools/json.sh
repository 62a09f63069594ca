#!/bin/sh
# siondump --json: the output is valid by its schema, and its extents locate the data. The --json
# output of other tools is valid by their schemas, too.
. "$(dirname "$0")/lib.sh"

schemas=$(cd "$srcdir/doc" && pwd)
schema=$schemas/siondump.schema.json
golden=$(cd "$GOLDEN" && pwd)

# The first Python that has this module.
find_python()
{
    for python in python3 /usr/bin/python3; do
        "$python" -c "import $1" 2>/dev/null && return
    done
    python=
}

# Gathers the streams of all tasks with the extents, one after the other.
cat >"$scratch/streams.py" <<'EOF'
import json, sys
dump = json.load(open(sys.argv[1]))
for task in dump["tasks"]:
    with open(dump["files"][task["file"]]["name"], "rb") as file:
        for extent in task["extents"]:
            file.seek(extent["offset"])
            sys.stdout.buffer.write(file.read(extent["bytes"]))
    assert task["bytes"] == sum(extent["bytes"] for extent in task["extents"])
assert dump["bytes"]["used"] == sum(task["bytes"] for task in dump["tasks"])
assert dump["number_of_tasks"] == len(dump["tasks"])
EOF
cat >"$scratch/validate.py" <<'EOF'
import json, sys, jsonschema
validator = jsonschema.Draft202012Validator
schema = json.load(open(sys.argv[1]))
validator.check_schema(schema)
for name in sys.argv[2:]:
    validator(schema).validate(json.load(open(name)))
EOF
cat >"$scratch/keys.py" <<'EOF'
import json, sys
dump = json.load(open(sys.argv[1]))
for task in dump["tasks"]:
    for i, key in enumerate(task["keys"]):
        print("Task %02d: key[%02d]=%8s: #blocks=%6d totalsize=%10d" %
              (task["task"], i, key["key"], key["records"], key["bytes"]))
        mine = [r for r in task["records"] if r["key"] == key["key"]]
        assert len(mine) == key["records"] and sum(r["bytes"] for r in mine) == key["bytes"]
EOF

cd "$scratch" || exit 99
mkdir json
find_python json
for file in "$GOLDEN"/*/*.sion; do
    case $file in
    */invalid/* | */damaged/*) continue ;;
    esac
    name=$(basename "$file")
    run siondump --json "$file"
    check "$name" succeeded
    mv out "json/$name"
    if test -z "$python"; then
        skip "$name: extents" 'no python3'
        continue
    fi
    status=0
    "$python" streams.py "json/$name" >streams 2>err || status=$?
    check "$name: the output is JSON, and its sums are right" ended 0
    run sioncat --stored --generation=all "$file"
    check "$name: the extents locate the data" printed streams
done
if test -n "$python"; then
    run siondump --json -k -K "$GOLDEN/serial/s07_keyval.sion"
    mv out json/keys
    sed '1d;$d' "$GOLDEN/serial/dumps/s07_keyval.sion.k.txt" | grep '^Task' >wanted
    "$python" keys.py json/keys >keys 2>&1
    check '-k and -K agree with --json' same keys wanted
    cp "$GOLDEN/serial/s01_single.sion" "$(printf 'a"b\\c\nd\377e.sion')"
    run siondump --json "$(printf 'a"b\\c\nd\377e.sion')"
    mv out json/name
    "$python" -c 'import json; print(ascii(json.load(open("json/name"))["file"]))' >name 2>&1
    printf '%s\n' "'a\"b\\\\c\\nd\\xffe.sion'" >wanted
    check 'any name becomes a string' same name wanted
fi

find_python jsonschema
if test -n "$python"; then
    status=0
    "$python" validate.py "$schema" json/* >out 2>err || status=$?
    check 'all outputs are valid by the schema' ended 0
    sed 's/"offset"/"place"/' json/keys >broken
    status=0
    "$python" validate.py "$schema" broken >out 2>err || status=$?
    check 'the schema refuses output without offsets' ended 1

    # The output of each tool about good containers, damaged ones, and none.
    for tool in sionverify sionrecover; do
        reports=
        for file in serial/s01_single serial/s04_multichunk mpi/m01_multi invalid/i12_unclosed_zero \
            invalid/i43_kv_stream_short invalid/none; do
            run "$tool" --json "$golden/$file.sion"
            if test -s out; then
                mv out "$(basename "$file").$tool"
                reports="$reports $(basename "$file").$tool"
            fi
        done
        if test "$tool" = sionverify && test -x "$builddir/test/tools/make_sums"; then
            "$builddir/test/tools/make_sums" sum.sion
            printf x | dd of=sum.sion bs=1 seek=4100 conv=notrunc 2>/dev/null
            run sionverify --json sum.sion
            mv out sum.$tool
            reports="$reports sum.$tool"
        fi
        status=0
        # shellcheck disable=SC2086 # names
        "$python" validate.py "$schemas/$tool.schema.json" $reports >out 2>err || status=$?
        check "$tool: valid by the schema:$reports" ended 0
        sed 's/"certain"/"sure"/; s/"checksums"/"sums"/' m01_multi.$tool >broken
        status=0
        "$python" validate.py "$schemas/$tool.schema.json" broken >out 2>err || status=$?
        check "$tool: the schema refuses output that lacks a property" ended 1
    done
else
    skip 'all outputs are valid by the schema' 'no Python module jsonschema'
fi

run siondump --json -k "$GOLDEN/serial/s01_single.sion"
check 'keys of a plain container' failed_with 2 'is not a key-value container'
run siondump --json -K "$GOLDEN/invalid/i42_kv_len_huge.sion"
check 'damaged records' failed_with 2 'are left'

finish
