#!/bin/sh
# Tools and containers with generations: the latest one, another, or all.
. "$(dirname "$0")/lib.sh"
golden=$(cd "$srcdir" && pwd)/test/golden/grown
cd "$scratch" || exit 99

# lines FIRST LAST: what g01.sion has of task 0, one line in each generation
lines() {
    seq "$1" "$2" | sed 's/.*/generation & task 0 line 0/' >expected
}
run sionls --generations "$golden/g01.sion"
check 'sionls --generations' succeeded
sed 's/.*: \(generation [0-9]*\), [-0-9T:]*Z, /\1 /' "$scratch/out" >shown
printf 'generation 3 1.1 KiB\ngeneration 4 1.7 KiB\ngeneration 5 2.2 KiB\n' >expected
check 'a line for each' same shown expected
run sionls --generations "$golden/p01.sion"
check 'a container without' grep -q ': no generations$' "$scratch/out"

run sioncat -t 0 "$golden/g01.sion"
lines 5 5
check 'sioncat: the latest' printed expected
for which in -1:4:4 3:3:3 all:3:5 latest:5:5; do
    run sioncat -t 0 --generation="${which%%:*}" "$golden/g01.sion"
    range=${which#*:}
    lines "${range%:*}" "${range#*:}"
    check "sioncat --generation=${which%%:*}" printed expected
done
run sioncat --generation=9 "$golden/g01.sion"
check 'one that is not there' test "$status" -eq 2
check 'and what there is' grep -q 'has no generation 9: it has 3, from 3 to 5' "$scratch/err"
run sioncat --generation=some "$golden/g01.sion"
check 'no number' test "$status" -eq 1
run sioncat --generation=1,lock=no "$golden/g01.sion"
check 'no other words' test "$status" -eq 1

run siondefrag --generation=-1 "$golden/g01.sion" one.sion
check 'siondefrag makes a container of one' succeeded
run sioncat -t 0 one.sion
lines 4 4
check 'of that one' printed expected
run sionls --generations one.sion
check 'which has no generations' grep -q 'one.sion: no generations$' "$scratch/out"
finish
