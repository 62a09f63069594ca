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

# ---- records with keys ----

# keys NAME: what each task has, by key and size
keys() {
    run siondump -K "$1"
    grep -o 'Task [0-9]*\|k=<[0-9]*>,size=[0-9]*' "$scratch/out" >shown
}
run sionverify "$golden/g04.sion"
check 'sionverify: records of a generation' succeeded
for which in '' --generation=-1 --generation=2 --generation=all; do
    rm -f one.sion
    run siondefrag $which "$golden/g04.sion" one.sion
    check "siondefrag $which: of keys" succeeded
    keys one.sion
    case $which in
    '') printf '%s\n' 'Task 00' 'k=<3>,size=25' 'Task 01' 'k=<3>,size=25' 'k=<0>,size=45' \
        'Task 02' 'k=<3>,size=25' 'k=<0>,size=45' 'k=<2>,size=65' ;;
    *-1) printf '%s\n' 'Task 00' 'k=<2>,size=20' 'k=<4>,size=40' 'k=<1>,size=60' 'Task 01' \
        'k=<2>,size=20' 'Task 02' 'k=<2>,size=20' 'k=<4>,size=40' ;;
    *2) printf '%s\n' 'Task 00' 'k=<1>,size=15' 'k=<3>,size=35' 'Task 01' 'k=<1>,size=15' \
        'k=<3>,size=35' 'k=<0>,size=55' 'Task 02' 'k=<1>,size=15' ;;
    *all)
        keys "$golden/g04.sion"
        cp shown all
        keys one.sion
        test "$(grep -c size all)" -eq 18 && cat all
        ;;
    esac >expected
    check 'its records' same shown expected
done

# ---- arrays ----

# steps NAME WHAT STEPS [OPTION]: the steps of T that sionarray lists
steps() {
    run sionarray info $4 "$1" T
    check "$2" grep -q "^  steps:  $3\$" "$scratch/out"
}
steps "$golden/g06.sion" 'arrays: the newest generation' '1, 2 to 2'
steps "$golden/g06.sion" 'sionarray: the latest' '1, 2 to 2' --generation=latest
steps "$golden/g06.sion" 'sionarray: the one before' '1, 1 to 1' --generation=-1
steps "$golden/g06.sion" 'sionarray: all that are left' '2, 1 to 2' --generation=all
run sionarray dump --generation=99 "$golden/g06.sion" T
check 'sionarray: one that is not there' failed_with 2 'has no generation 99'
rm -f one.sion
run siondefrag --generation=-1 "$golden/g06.sion" one.sion
steps one.sion 'the one before' '1, 1 to 1'
check 'with its index' grep -q 'index complete' "$scratch/out"
rm -f one.sion
run siondefrag --generation=all "$golden/g06.sion" one.sion
steps one.sion 'all steps that are left' '2, 1 to 2'

# ---- sionrm removes the older ones in place ----

# has NAME FIRST LAST: NAME has these generations, and is good
has() {
    run sionls --generations "$1"
    sed 's/.*: generation \([0-9]*\),.*/\1/' "$scratch/out" >shown
    seq "$2" "$3" >expected
    same shown expected || return 1
    run sionverify "$1"
    succeeded
}
for name in g01 g02; do
    cp "$golden/$name.sion" .
    run sionrm -v --keep=2 "$name.sion"
    echo "$name.sion: 1 of 3 generations are removed, 4 is the oldest now" >expected
    check "sionrm --keep: $name" printed expected
    check "$name: two are left" has "$name.sion" 4 5
    run sionls --follow "$name.sion"
    check "sionls: $name stays closed" grep -q ' more, closed$' out
    run sionrm --before=99 "$name.sion"
    check "sionrm --before: $name" succeeded
    check "$name: the newest stays" has "$name.sion" 5 5
    run sionrm -v --keep=3 "$name.sion"
    check "$name: nothing to remove" said "$name.sion: 0 of 1 generations are removed, 5 is the oldest now"
    run sioncat -t 0 "$name.sion"
    lines 5 5
    check "$name: its data are as they were" printed expected
done
cp "$golden/p01.sion" .
run sionrm --keep=1 p01.sion
check 'a container without generations' failed_with 2 'has no generations'
check 'which stays' test -f p01.sion
run sionrm -f --keep=1 g01.sion
check 'not with -f' test "$status" -eq 1

# Killed in each call: what it had, or what it should have. The next one makes it complete.
killed_in_each_call() {
    n=0
    problems=0
    while :; do
        cp "$golden/g03.sion" .
        n=$((n + 1))
        SION_FAULT=any:kill:$n run sionrm --keep=1 g03.sion
        test "$status" -ne 0 && test "$n" -lt 200 || break
        run sionls --generations g03.sion
        kept=$(sed 's/.*: generation \([0-9]*\),.*/\1/' "$scratch/out" | tr '\n' ' ')
        run sionverify g03.sion
        case $kept in '4 5 ' | '5 ') test "$status" -eq 0 || problems=$((problems + 1)) ;; *) problems=$((problems + 1)) ;; esac
        run sionrm --keep=1 g03.sion
        test "$status" -eq 0 || problems=$((problems + 1))
    done
    test "$n" -gt 5 -a "$n" -lt 100 -a "$problems" -eq 0
}
run sionverify "$golden/g03.sion"
if grep -q 'checksums need libsion_checksum' "$scratch/err"; then
    skip 'sionrm --keep: killed in each call' 'no function for checksums'
else
    check 'sionrm --keep: killed in each call' killed_in_each_call
fi
finish
