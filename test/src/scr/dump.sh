#!/bin/sh
# sionscr dump: the same text as SCR's own tool, JSON, several records, errors.
. "$srcdir/test/tools/lib.sh"

cd "$GOLDEN/scr/serial" || exit 99

run sionscr dump seed000_rank2file.scr
check 'a file' printed seed000_rank2file.scr.dump.txt
run sionscr dump empty.kvtree
check 'an empty tree' printed /dev/null
cat summary.scr.dump.txt filemap.scrinfo.dump.txt >"$scratch/expected"
run sionscr dump summary.scr filemap.scrinfo
check 'several files' printed "$scratch/expected"

cat >"$scratch/expected" <<'JSON'
{
  "LEVEL": "1",
  "RANKS": "4",
  "RANK": {
    "0": {
      "OFFSET": "0",
      "FILE": ".scr/rank2file.0.0.scr"
    }
  }
}
JSON
run sionscr dump --json seed000_rank2file.scr
sort "$scratch/out" | tr -d , >"$scratch/sorted"
sort "$scratch/expected" | tr -d , >"$scratch/expected_sorted"
check 'JSON' same "$scratch/sorted" "$scratch/expected_sorted"

cat one_kv.kvtree summary.scr >"$scratch/two"
run sionscr dump "$scratch/two"
check 'the first record' same "$scratch/out" one_kv.kvtree.dump.txt
check 'a note about the rest' failed_with 0 'two: 291 more bytes after the first record'
(cat one_kv.kvtree.dump.txt; echo; cat summary.scr.dump.txt) >"$scratch/expected"
run sionscr dump --all "$scratch/two"
check 'all records' printed "$scratch/expected"
echo rest >>"$scratch/two"
run sionscr dump -a "$scratch/two"
check 'all records, then others' same "$scratch/out" "$scratch/expected"
check 'a note about the other records' failed_with 0 'two: 5 more bytes after the last record'

head -c 100 summary.scr >"$scratch/cut"
run sionscr dump "$scratch/cut"
check 'a truncated file' failed_with 2 'cut: cut off: 100 of 291 bytes'
run sionscr dump missing
check 'a missing file' failed_with 2 'cannot open missing'
run sionscr dump ../../serial/s01_single.sion
check 'another file' failed_with 2 's01_single.sion: not a file of keys'
run sionscr dump missing one_kv.kvtree
check 'a missing file does not stop the others' same "$scratch/out" one_kv.kvtree.dump.txt
check '... and is an error' failed_with 2 'cannot open missing'
run sionscr dump
check 'no operand' failed_with 1 'dump takes at least 1 operand, not 0'
run sionscr unknown
check 'an unknown command' failed_with 1 "there is no command 'unknown'"
mkfifo "$scratch/pipe"
run sionscr dump "$scratch/pipe"
check 'a pipe' failed_with 2 'pipe: not a regular file'

finish
