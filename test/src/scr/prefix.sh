#!/bin/sh
# sionscr list, check and index of a prefix, as releases of SCR have left it, and with damaged or
# hostile files.
. "$srcdir/test/tools/lib.sh"

scr=$GOLDEN/scr
mkdir "$scratch/work" && cd "$scratch/work" || exit 99
TZ=UTC
export TZ

# fresh GOLDEN: makes a copy in ./p, which can be changed
fresh()
{
    rm -rf p
    cp -r "$scr/$1" p && chmod -R u+w p
}

# sorted FILE: prints a tree in sorted order, one line for each key with all keys above it
sorted()
{
    "$builddir/sionscr" dump "$1" | awk '{
        match($0, /^ */); level = RLENGTH / 2; key[level] = $1; line = ""
        for (i = 1; i <= level; i++) line = line "/" key[i]
        print line }' | sort
}

# ---- list ----

# listed TEXT...: each text is a row of the list, except for the number of blanks
listed()
{
    succeeded || return 1
    tr -s ' ' <"$scratch/out" >rows
    for row in "$@"; do
        grep -qxF -- "$row" rows || return 1
    done
    test "$(wc -l <rows)" -eq $(($# + 1))
}

run sionscr list "$scr/real_scr_1.1.8_plain/prefix"
check 'list: SCR 1.1' listed \
    '* 1 scr.dataset.1 yes 2026-11-20T11:52:23 checkpoint 4 2.0 MiB scr.dataset.1/.scr'
run sionscr list "$scr/real_scr_1.2.2_prefix"
check 'list: SCR 1.2' listed \
    ' 1 ckpt.1 yes 2026-11-22T05:35:16 checkpoint 4 486 KiB .scr/scr.dataset.1' \
    '* 2 ckpt.2 yes 2026-11-22T05:35:18 checkpoint 4 486 KiB .scr/scr.dataset.2'
run sionscr list "$scr/real_scr_3_prefix"
check 'list: SCR 3' listed \
    ' 1 ckpt.1 yes 2026-11-22T05:54:30 checkpoint 4 486 KiB .scr/scr.dataset.1' \
    '* 2 ckpt.2 yes 2026-11-22T05:54:34 checkpoint 4 486 KiB .scr/scr.dataset.2'
run sionscr list --json "$scr/real_scr_3_container_prefix"
cat >wanted <<'END'
{
  "datasets": [
    {
      "id": 1,
      "name": "ckpt.1",
      "form": "SCR 3",
      "current": true,
      "complete": true,
      "flushed": "2026-11-22T05:56:04",
      "failed": null,
      "checkpoint": true,
      "output": false,
      "map": ".scr/scr.dataset.1",
      "files": 2,
      "size": 1220708,
      "problem": null
    }
  ]
}
END
check 'list --json' printed wanted
fresh real_scr_3_prefix
rm p/.scr/index.scr
run sionscr list p
check 'list without an index' failed_with 2 'there is no p/.scr/index.scr'

# ---- check ----

run sionscr check "$scr/real_scr_3_prefix"
check 'check: all datasets of SCR 3' printed /dev/null
run sionscr check "$scr/real_scr_1.2.2_prefix"
check 'check: all datasets of SCR 1.2' printed /dev/null
run sionscr check "$scr/real_scr_1.1.8_plain/prefix"
check 'check: SCR 1.1 with its index' ended 2
check 'check: one line for each kind of fault, with three names' grep -q \
    '^sionscr: dataset 1, scr.dataset.1: 4 files are missing, cut off or unreadable: rank_0.ckpt, rank_1.ckpt, rank_2.ckpt, \.\.\. (rank 0, file rank_0.ckpt: cannot open' \
    "$scratch/err"
check '... and two lines at the end' test "$(wc -l <"$scratch/err")" -eq 3
check '... one of which counts the datasets' grep -qx \
    'sionscr: 1 of 1 dataset could not be used' "$scratch/err"
run sionscr check -v "$scr/real_scr_1.1.8_plain/prefix"
check 'check -v: a line for each file' test "$(grep -c ': rank [0-3], file rank_[0-3].ckpt: cannot' \
    "$scratch/err")" -eq 4
fresh real_scr_1.2.2_prefix
for r in 0 1 3; do
    printf X | dd of=p/ck/rank_$r.ckpt bs=1 seek=1000 conv=notrunc 2>/dev/null
done
echo >>p/ck/rank_2.ckpt
run sionscr check p
check 'check: kinds of faults of each dataset' grep -q \
    '^sionscr: dataset 2, ckpt.2: 3 files have another CRC: ck/rank_0.ckpt, ck/rank_1.ckpt, ck/rank_3.ckpt (rank 0, ' \
    "$scratch/err"
check '... a line for a single file of a kind' grep -qx \
    'sionscr: dataset 1, ckpt.1: rank 2, file ck/rank_2.ckpt: it has 124297 bytes, not 124296' \
    "$scratch/err"
check '... all datasets' grep -qx 'sionscr: 2 of 2 datasets could not be used' "$scratch/err"
rm -r p/.scr/scr.dataset.1
run sionscr check p
check 'check: a missing map' grep -qx 'sionscr: dataset 1, ckpt.1: it has no map' "$scratch/err"

# ---- index: the current dataset ----

for release in 1.2.2 3; do
    fresh real_scr_${release}_prefix
    sorted p/.scr/index.scr >before
    run sionscr index p --current ckpt.1
    check "$release: --current" printed /dev/null
    sorted p/.scr/index.scr >after
    sed 's|^/CURRENT/ckpt.2$|/CURRENT/ckpt.1|' before | sort >wanted
    check "$release: ... changes nothing else" same after wanted
    run sionscr index p --current ckpt.3
    check "$release: no such dataset" failed_with 2 'p/.scr/index.scr has no dataset ckpt.3'
done

# ---- a full disk ----

fresh real_scr_3_prefix
cp p/.scr/index.scr kept
(ulimit -f 0; trap '' XFSZ; exec "$builddir/sionscr" index p --current ckpt.1 2>/dev/null)
check 'a full disk: the new index does not fit' test $? -eq 2
check '... the old index stays' same p/.scr/index.scr kept
check '... and no other file is left' test -z "$(find p -name '*.new')"

# ---- fetch and import of a prefix: the current dataset ----

for release in 1.2.2 3; do
    for dataset in 1 2; do
        fresh real_scr_${release}_prefix
        "$builddir/sionscr" index p --current ckpt.$dataset
        # Only one of the two datasets has data, so the names tell which map was used.
        other=$((3 - dataset))
        rm p/.scr/scr.dataset.$other/rank2file.0.0*
        rm -rf out
        run sionscr fetch --no-crc -o out p
        check "$release: fetch takes the current dataset, $dataset" printed /dev/null
        check '... its files' same out/ck/rank_3.ckpt p/ck/rank_3.ckpt
        rm -f new.sion
        run sionscr import --no-crc p new.sion
        check "$release: import takes the current dataset, $dataset" printed /dev/null
    done
    rm p/.scr/scr.dataset.2/rank2file*
    run sionscr index p --current ckpt.2
    check "$release: --current of one without a map" failed_with 2 'dataset 2, ckpt.2: it has no map'
    run sionscr fetch --no-crc -o out2 p
    check "$release: the current dataset has no map" failed_with 2 \
        'p/.scr/index.scr: the current dataset, ckpt.2, has no map'
    fresh real_scr_${release}_prefix
    rm p/.scr/index.scr
    run sionscr fetch -o out2 p
    check "$release: several datasets without an index" failed_with 2 'p has maps of 2 datasets'
done
mkdir none
run sionscr fetch -o out2 none
check 'fetch: a folder without a map' failed_with 2 'no rank2file map in none'
run sionscr fetch -o out2 missing
check 'fetch: a missing folder' failed_with 2 'no rank2file map: missing: '
rm -rf p out
cp -r "$scr/real_scr_1.1.8_plain/prefix" p && chmod -R u+w p
for r in 0 1 2 3; do
    head -c $((524294 + r)) /dev/zero >p/scr.dataset.1/rank_$r.ckpt
done
run sionscr fetch --no-crc -o out p
check '1.1: fetch takes the current dataset' printed /dev/null
check '... its files' same out/rank_3.ckpt p/scr.dataset.1/rank_3.ckpt

# ---- help of a command ----

for command in dump export check fetch pack import list index; do
    run sionscr $command --help
    check "$command --help" sh -c 'head -n 1 "$2" | grep -qx "Usage: sionscr $1 options .*"' - \
        $command "$scratch/out"
    check "$command --help: its own options" sh -c \
        '! grep -q -- "$1" "$2"' - \
        "$(test $command = index && echo --layout || echo --current)" "$scratch/out"
done

command -v python3 >/dev/null || {
    skip 'changed indexes' 'no python3'
    finish
    exit
}

# ---- index: entries made from the datasets ----

# drop.py INDEX NAME NUMBER: removes a dataset from the index
cat >drop.py <<'END'
import struct, sys, zlib
path, name, number = sys.argv[1:]
data = open(path, 'rb').read()
def unpack(at):
    count, = struct.unpack_from('>I', data, at)
    at += 4
    tree = []
    for _ in range(count):
        end = data.index(b'\0', at)
        key, (below, at) = data[at:end], unpack(end + 1)
        tree.append((key, below))
    return tree, at
def pack(tree):
    return struct.pack('>I', len(tree)) + b''.join(k + b'\0' + pack(t) for k, t in tree)
tree, _ = unpack(20)
body = pack([(k, [e for e in t if e[0].decode() not in (name, number)] if k in (b'DSET', b'NAME') else t)
             for k, t in tree if k != b'CURRENT'])
head = data[:8] + struct.pack('>QI', len(body) + 24, 1)
open(path, 'wb').write(head + body + struct.pack('>I', zlib.crc32(head + body)))
END
for release in 1.2.2 3; do
    fresh real_scr_${release}_prefix
    sorted p/.scr/index.scr | grep -Ev '/(FETCHED|FLUSHED)' >wanted
    python3 drop.py p/.scr/index.scr ckpt.2 2
    run sionscr list p
    check "$release: an index without it" test "$(wc -l <"$scratch/out")" -eq 2
    run sionscr index --add ckpt.2 p
    check "$release: --add" printed /dev/null
    sorted p/.scr/index.scr | grep -Ev '/(FETCHED|FLUSHED)' >after
    check "$release: ... makes the same as SCR, with the current dataset" same after wanted
    python3 drop.py p/.scr/index.scr ckpt.2 2
    run sionscr index p --repair
    check "$release: --repair" same "$scratch/out" - <<'END'
sionscr: ckpt.2: added
sionscr: ckpt.2: current
END
    sorted p/.scr/index.scr | grep -Ev '/(FETCHED|FLUSHED)' >after
    check "$release: ... makes the same" same after wanted
    rm p/.scr/index.scr
    run sionscr index p --repair
    check "$release: without an index" succeeded
    sorted p/.scr/index.scr | grep -Ev '/(FETCHED|FLUSHED)' >after
    check "$release: ... the layout decides" same after wanted
    cp p/.scr/index.scr kept
    run sionscr index p --repair
    check "$release: nothing to repair" printed /dev/null
    check "$release: ... nothing is written" same p/.scr/index.scr kept
done

rm -rf p
cp -r "$scr/real_scr_1.1.8_plain/prefix" p && chmod -R u+w p
sorted p/.scr/index.scr | grep -v FLUSHED >wanted
rm p/.scr/index.scr
run sionscr index p --add scr.dataset.1
check '1.1: --add without an index' printed /dev/null
sorted p/.scr/index.scr | grep -v FLUSHED >after
check '1.1: ... makes the same as SCR' same after wanted
run sionscr index p --add scr.dataset.9
check 'no such dataset' failed_with 2 'p has no dataset scr.dataset.9 with a map and summary.scr'
for name in . .. /etc a/../../b ''; do
    run sionscr index p --add "$name"
    check "--add '$name'" ended 2
    check "--add '$name': nothing is written" sh -c 'test "$(ls p/.scr)" = "$1"' - "$(ls p/.scr)"
done
run sionscr index p
check 'index without a change' failed_with 1 'index needs --current, --add, --repair, --build, --drop or --keep'

# ---- damaged and hostile indexes ----

fresh real_scr_3_prefix
sorted p/.scr/index.scr | grep -Ev '/(FETCHED|FLUSHED)' >wanted
printf X | dd of=p/.scr/index.scr bs=1 seek=100 conv=notrunc 2>/dev/null
cp p/.scr/index.scr kept
run sionscr list p
check 'list: a wrong CRC' failed_with 2 'p/.scr/index.scr: '
run sionscr check p
check 'check: a wrong CRC' failed_with 2 'p/.scr/index.scr: '
run sionscr index p --current ckpt.1
check '--current: a wrong CRC' failed_with 2 'p/.scr/index.scr: '
check '... changes nothing' same p/.scr/index.scr kept
run sionscr index p --repair
check '--repair: a wrong CRC' succeeded
check '... keeps the damaged index' same p/.scr/index.scr.damaged kept
sorted p/.scr/index.scr | grep -Ev '/(FETCHED|FLUSHED)' >after
check '... and makes the original one' same after wanted

# edit.py INDEX FROM TO: replaces text of the same length, and corrects the CRC
cat >edit.py <<'END'
import struct, sys, zlib
path, old, new = sys.argv[1], *(a.encode().decode('unicode_escape').encode('latin1') for a in sys.argv[2:])
data = open(path, 'rb').read()
assert len(old) == len(new) and old in data
data = data[:-4].replace(old, new)
open(path, 'wb').write(data + struct.pack('>I', zlib.crc32(data)))
END
fresh real_scr_3_prefix
python3 edit.py p/.scr/index.scr ckpt.2 ../../
run sionscr list p
check 'a name that leads out of the prefix' ended 2
check '... is reported' grep -qx 'sionscr: dataset 2, ../../: the name ../../ .*' "$scratch/err"
run sionscr check p
check '... is not followed' test "$(wc -l <"$scratch/err")" -eq 2
fresh real_scr_3_prefix
python3 edit.py p/.scr/index.scr 'ckpt.2' 'a\033\n[1m'
run sionscr list p
check 'control characters are not printed' sh -c '! grep -q "$(printf "\033")" "$1/out" "$1/err"' - \
    "$scratch"
# A name in a map, in all output.
fresh real_scr_3_prefix
python3 edit.py p/.scr/scr.dataset.2/rank2file.0.0 ck/rank_3.ckpt 'ck/r\033[2J\nokay\001'
map=p/.scr/scr.dataset.2
mv p/ck/rank_3.ckpt "$(printf 'p/ck/r\033[2J\nokay\001')"
for command in "dump $map/rank2file.0.0" "check $map" "check -v $map" "fetch -v -o out3 p" \
    "fetch -o out3 p" "import p x.sion" "seal $map" "check $map"; do
    # shellcheck disable=SC2086
    run sionscr $command
    check "$command: a terminal obeys no part of a name" sh -c \
        '! LC_ALL=C grep -q "[[:cntrl:]]" "$1/out" "$1/err" && ! grep -q "^ok" "$1/out" "$1/err"' - \
        "$scratch"
done
run sionscr dump $map/rank2file.0.0
check 'dump shows the name' grep -qxF '        ck/r\x1b[2J\nokay\x01' "$scratch/out"
run sionscr fetch -v -o out4 p
check 'fetch shows the name' grep -qxF \
    'sionscr: rank 3, file ck/r\x1b[2J\nokay\x01: out4/ck/r\x1b[2J\nokay\x01' "$scratch/out"
rm "$(printf 'p/ck/r\033[2J\nokay\001')"
run sionscr check $map
check 'check shows the name' grep -qF 'rank 3, file ck/r\x1b[2J\nokay\x01: cannot open ' "$scratch/err"
fresh real_scr_3_prefix
python3 edit.py p/.scr/index.scr 'VERSION\0\0\0\0\0012' 'VERSION\0\0\0\0\0017'
cp p/.scr/index.scr kept
for change in '--current ckpt.1' '--add ckpt.1' --repair; do
    # shellcheck disable=SC2086
    run sionscr index p $change
    check "$change: an unknown form" failed_with 2 'p/.scr/index.scr: VERSION 7 with NAME: unknown form'
    check '... stays' same p/.scr/index.scr kept
done
fresh real_scr_3_prefix
python3 edit.py p/.scr/index.scr 'CURRENT\0\0\0\0\001ckpt.2' 'CURRENT\0\0\0\0\001ckpt.7'
run sionscr check p
check 'the current dataset is missing' failed_with 2 'the current dataset, ckpt.7, is not in it'
run sionscr index p --repair
check '... --repair chooses the newest' same "$scratch/out" - <<'END'
sionscr: ckpt.2: current
END
fresh real_scr_3_prefix
python3 edit.py p/.scr/index.scr FLAG_CKPT flag_ckpt
python3 edit.py p/.scr/index.scr FLAG_OUTPUT flag_output
run sionscr check p
check 'a dataset that SCR would not use' grep -q \
    'dataset 1, ckpt.1: FLAG_CKPT is missing: SCR does not restart from it' "$scratch/err"
run sionscr index p --repair
check '... is repaired' grep -qx 'sionscr: ckpt.1: mended' "$scratch/out"
run sionscr check p
check '... and is right afterwards' printed /dev/null

finish
