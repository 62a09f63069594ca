#!/bin/sh
# Damaged files: the tools refuse them with one line, or read the correct data. They never hang,
# crash or take more memory than the file can need.
. "$(dirname "$0")/lib.sh"

cd "$GOLDEN/invalid" || exit 99
seconds=10

# These are accepted: 27 has a newer format (a warning); 29 to 48 are unusual, but valid. The
# unknown key-value mode of 40 counts as none; 42 and 43 have damaged records, which raw reads do
# not decode.
is_usable()
{
    case $1 in
    i27_* | i29_* | i38_* | i40_* | i41_* | i42_* | i43_* | i47_* | i48_*) return 0 ;;
    *) return 1 ;;
    esac
}

# Some of their tasks are damaged: these are not read.
is_locked()
{
    case $1 in
    i32_* | i33_* | i34_* | i35_* | i39_* | i45_* | i49_*) return 0 ;;
    *) return 1 ;;
    esac
}

# The tool has failed, and names the file.
left_out()
{
    ended 2 && grep -qF "$1" "$scratch/err" && grep -q 'nothing is read of this task' "$scratch/err"
}

# One line of the tool: a sentence that names the file, and nothing else.
refused()
{
    failed_with 2 ': cannot ' && ! grep -q SION_ERROR "$scratch/err" &&
        grep -qF "$1" "$scratch/err" && same "$scratch/out" /dev/null
}

each_file()
{
    for file in *.sion; do
        run siondump -alM "$file"
        if is_usable "$file"; then
            check "siondump $file$1" succeeded
            run sioncat "$file"
            check "sioncat $file$1" succeeded
            run siondump --json "$file"
            check "siondump --json $file$1" succeeded
            run siondump --svg=- "$file"
            check "siondump --svg $file$1" succeeded
        elif is_locked "$file"; then
            check "siondump $file$1" ended 0
            run sioncat "$file"
            check "sioncat $file$1" left_out "$file"
            run sionsplit "$file" "$scratch/some"
            check "sionsplit $file$1" left_out "$file"
            run siondefrag "$file" "$scratch/some"
            check "siondefrag $file$1" left_out "$file"
        else
            check "siondump $file$1" refused "$file"
            run sioncat "$file"
            check "sioncat $file$1" refused "$file"
            run sionsplit "$file" "$scratch/part"
            check "sionsplit $file$1" refused "$file"
            run siondefrag "$file" "$scratch/part"
            check "siondefrag $file$1" refused "$file"
        fi
    done
}

each_file ''
if has_sanitizers; then
    skip 'with 4 GiB of address space' 'sanitizers take more'
else
    ulimit -v 4194304
    each_file ' with 4 GiB of address space'
fi
check 'no output file is made' test -z "$(find "$scratch" -name 'part*')"

# An accepted file reads like the undamaged one.
for file in i27_version6 i29_nfiles0 i38_flag1_zero i40_flag1_99 i41_prefix_full \
    i47_trailing_garbage i48_no_mapping_word; do
    run sioncat $file.sion
    check "$file: the data" same "$scratch/out" "$GOLDEN/util/s04_multichunk.sioncat.out"
done

finish
