#!/bin/sh
# Usage, help and version of the tools; exit statuses of wrong use.
. "$(dirname "$0")/lib.sh"

cd "$builddir" || exit 99
util=$GOLDEN/util

# As `run`, with the name of the program that the samples were made with.
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

# The usage, and a list of the long options behind it.
help_on_stdout()
{
    lines=$(wc -l <"$util/$tool.usage.stderr")
    head -n "$lines" "$scratch/out" >"$scratch/usage"
    succeeded && same "$scratch/usage" "$util/$tool.usage.stderr" &&
        grep -q -- '-h, --help' "$scratch/out"
}

for tool in siondump sioncat sionsplit siondefrag; do
    run_here $tool
    check "$tool without arguments" usage_on_stderr
    run_here $tool -x file
    check "$tool with an unknown option" usage_on_stderr
    run_here $tool --unknown file
    check "$tool with an unknown long option" usage_on_stderr
    run_here $tool one two three
    check "$tool with too many arguments" usage_on_stderr
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
check 'sionsplit without prefix' usage_on_stderr
for option in -t -b -o; do
    run_here sioncat $option
    check "sioncat $option without value" usage_on_stderr
done
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
run_here sionversion word
check 'sionversion word' ended 1
check 'sionversion word: usage on stderr' sh -c \
    'head -n 1 "$1/err" | grep -qx "Usage: ./sionversion \[options\]" && ! test -s "$1/out"' - "$scratch"
# Tools that SIONlib does not have say what is wrong.
for tool in sionversion sionmerge sionls; do
    for wrong in -x --unknown; do
        run_here $tool $wrong
        check "$tool $wrong" failed_with 1 "there is no option $wrong: see $tool --help"
    done
done
run_here sionmerge --verbose=very out in
check 'sionmerge: a value too many' failed_with 1 '--verbose takes no value'
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
