#!/bin/sh
# Usage, help and version of the tools; exit statuses after wrong use.
. "$(dirname "$0")/lib.sh"

cd "$builddir" || exit 99
util=$GOLDEN/util

# Like `run`, with the name of the program in the samples.
run_here()
{
    tool=$1
    shift
    status=0
    "./$tool" "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
}

usage_on_stderr()
{
    ended 1 && same "$scratch/err" "$util/$tool.usage.stderr" && same "$scratch/out" /dev/null
}

# The usage, followed by a list of the long options.
help_on_stdout()
{
    lines=$(wc -l <"$util/$tool.usage.stderr")
    head -n "$lines" "$scratch/out" >"$scratch/usage"
    succeeded && same "$scratch/usage" "$util/$tool.usage.stderr" &&
        grep -q -- '-h, --help' "$scratch/out"
}

# The usage, after a line that names the error.
named_and_usage()
{
    head -n 1 "$scratch/err" >"$scratch/named"
    tail -n +2 "$scratch/err" >"$scratch/rest"
    ended 1 && same "$scratch/rest" "$util/$tool.usage.stderr" && same "$scratch/out" /dev/null &&
        grep -qxF "$tool: $1: see $tool --help" "$scratch/named"
}

for tool in siondump sioncat sionsplit siondefrag; do
    run_here $tool
    check "$tool without arguments" usage_on_stderr
    run_here $tool -x file
    check "$tool with an unknown option" named_and_usage 'unknown option -x'
    run_here $tool --unknown file
    check "$tool with an unknown long option" named_and_usage 'unknown option --unknown'
    run_here $tool one two three
    case $tool in
    siondump | sioncat) extra=two ;;
    *) extra=three ;;
    esac
    check "$tool with too many arguments" named_and_usage "unexpected operand '$extra'"
    for option in -h --help; do
        run_here $tool $option
        check "$tool $option" help_on_stdout
    done
    for option in -V -vV; do
        run_here $tool $option
        check "$tool $option" printed "$util/$tool.V.stderr"
    done
done

run_here sionsplit "$GOLDEN/serial/s01_single.sion"
check 'sionsplit without prefix' named_and_usage 'operand 2 of 2 is missing'
for option in task block output; do
    letter=$(printf %.1s $option)
    run_here sioncat -$letter
    check "sioncat -$letter without value" named_and_usage "--$option takes a value"
done
run_here sionmount one
test "$status" -eq 127 || check 'sionmount without a folder' failed_with 1 'operand 2 of 2 is missing: see sionmount --help'
run_here sionmerge out
check 'sionmerge without files' failed_with 1 'operands or in a list (-T)'
run_here sionversion word
check 'sionversion word' failed_with 1 "unexpected operand 'word': see sionversion --help"

# ---- help: short and long forms, and the argument ----

shows()
{
    run_here "$1" --help
    check "$1 --help: $2" grep -qxE -- "$3" "$scratch/out"
}
shows sioncat 'SIONlib has no long forms' '  -t, --task=<tasknum>'
shows sionsplit 'of SIONlib, too' '  -d, --digits=<num>'
shows sionsplit 'of SIONlib, whose usage does not show a value' '  -t, --task=<value>'
shows sionls 'both forms next to the text' '  -l, --long {6}long: .*'
shows sionls 'both forms, with the argument' '  -n, --number=<number>'
shows sionls 'which has a line of its own if it is long' ' {18}show at most <number> tasks .*'
shows sionmerge 'the argument' '  -T, --files-from=<listfile>'
for tool in sioncat sionls siondiff sionmerge sionmount sionrecover sionverify sionversion sionscr sionfti sionarray; do
    [ -x $tool ] || continue
    run_here $tool --help
    check "$tool --help: --quiet" test "$(grep -c -- '--quiet' "$scratch/out")" -eq 1
done

# ---- quiet ----

single=$GOLDEN/serial/s01_single.sion
for call in "siondump -a $single" "sionls $single" "sionsplit $single $scratch/part" \
    "siondefrag -v $single $scratch/new" "sionmerge -v $scratch/new $single" "sionverify $single" \
    "siondiff --quiet $single $single" sionversion; do
    # shellcheck disable=SC2086
    run_here $call --quiet
    check "${call%% *} --quiet" succeeded
    check "${call%% *} --quiet: nothing is printed" test ! -s "$scratch/out" -a ! -s "$scratch/err"
done
run_here sioncat -v --quiet "$single"
check 'sioncat --quiet: data, and nothing else' sh -c './sioncat "$1" | cmp - "$2/out" && test ! -s "$2/err"' \
    - "$single" "$scratch"
run_here siondump --quiet "$scratch/nothing"
check '--quiet: errors are printed' failed_with 2 nothing
for value in '' x 1x 99999999999; do
    run_here sioncat -t "$value" "$GOLDEN/serial/s01_single.sion"
    check "sioncat -t '$value'" failed_with 1 "'$value'"
    run_here sioncat -b "$value" "$GOLDEN/serial/s01_single.sion"
    check "sioncat -b '$value'" failed_with 1 "'$value'"
    run_here sionsplit -d "$value" "$GOLDEN/serial/s01_single.sion" "$scratch/x"
    check "sionsplit -d '$value'" failed_with 1 "'$value'"
done
for value in -1 256; do
    run_here sionsplit -d $value "$GOLDEN/serial/s01_single.sion" "$scratch/x"
    check "sionsplit -d $value" failed_with 1 "$value"
done

revision=$(sed -n 's/^GIT_REV = //p' Makefile)
run_here sionversion
check 'sionversion' said \
    "SIONlib Version 1.7.6 (git_rev $revision), fileformat version 5 (./sionversion)"
# Tools that SIONlib lacks name the error.
for tool in sionversion sionmerge sionls; do
    for wrong in -x --unknown; do
        run_here $tool $wrong
        check "$tool $wrong" failed_with 1 "unknown option $wrong: see $tool --help"
    done
done
run_here sionmerge --verbose=very out in
check 'sionmerge: a value that is not allowed' failed_with 1 '--verbose takes no value'
run_here sionmerge out in -T
check 'sionmerge: a value is missing' failed_with 1 '--files-from takes a value'
run_here sionmerge out in --progress
check 'sionmerge: a value of a long option is missing' failed_with 1 '--progress takes a value'
run_here sionversion --help
cp "$scratch/out" "$scratch/help"
run_here sionversion -h
check 'sionversion -h is --help' printed "$scratch/help"
check 'sionversion --help: usage' grep -qx 'Usage: ./sionversion \[options\]' "$scratch/out"
run_here sionversion -V
check 'sionversion -V' said 'SIONlib utility ./sionversion (Version 1.7p6, fileformat version 5)'

version=$(setting PACKAGE_VERSION)
for tool in sionarray siondump sioncat sionsplit siondefrag sionmerge sionls siondiff sionmount sionversion sionfti sionscr; do
    [ -x $tool ] || continue
    run_here $tool --version
    check "$tool --version" said "Scion $version (interface 1.7.6, format 5)"
done
run_here siondump --all --version
check 'siondump --all --version' said "Scion $version (interface 1.7.6, format 5)"
run_here siondump --all -V
check 'siondump --all -V' printed "$util/siondump.V.stderr"

finish
