#!/bin/sh
# Manual pages and completion: every tool and every public function has a page, pages and --help
# have the same options, parameters and environment variables are described, the completion offers
# the right words, and mandoc has no complaints.
. "$(dirname "$0")/lib.sh"

: "${TOOLS:?is set by make check}" "${AWK:?is set by make check}"
srcdir=$(cd "$srcdir" && pwd) || exit 99
cd "$scratch" || exit 99

# All pages are in one folder, where mandoc finds the pages that others refer to. Section 3 is made
# from all sources, also those of parts that were not built.
mkdir pages
cp "$srcdir"/doc/man/*.[157] pages
modules='sion_f90 sion_f90_omp sion_f90_mpi sion_f90_ompi sion_f08 sion_f08_ompi sion_array'
set --
for module in $modules; do
    set -- "$@" "$srcdir/src/fortran/$module.f90"
done
sh "$srcdir/doc/man/man3.sh" pages 'November 22, 2026' "$srcdir" "$srcdir"/include/*.h \
    "$srcdir"/include/*.hpp "$@"
cd pages || exit 99

# The options in a text, without values, one a line. -def is a word of SIONlib's usage text.
options()
{
    grep -oE -- '(^|[][ (|,])--?[[:alnum:]][-[:alnum:]]*' | sed 's/^[^-]*//' | grep -vx -- -def |
        sort -u
}

# A page, or the page that it refers to.
plain()
{
    page=$(sed -n '1s|^\.so man[1-9]/||p' "$1")
    mandoc -T ascii "${page:-$1}" | sed 's/.\x08//g'
}

# The lines of a file that are not in the other one.
all_in()
{
    comm -23 "$1" "$2" >missing
    sed 's/^/missing: /' missing
    test ! -s missing
}

# A page describes an option where a line begins with it, after the margin.
check_options()
{
    "$builddir/$1" --help >help 2>&1 </dev/null
    options <help >in_help
    plain "$2.1" >text
    sed -n 's/^ \{5\}\(-.*\)/\1/p' text | sed 's/   *.*//' | options >described
    options <text >mentioned
    check "$2: the page has every option of --help" all_in in_help mentioned
    check "$2: --help has every option of the page" all_in described in_help
}

check_completion()
{
    PATH=$builddir:$builddir/utils:$PATH bash -c '
        cp "$1" "./$2" && . "./$2" || exit 1
        complete -p "$2" >/dev/null || exit 1
        for start in - --; do
            COMP_WORDS=("$2" "$start") COMP_CWORD=1
            _sion_tool "$2" "$start" "$2"
            printf "%s\n" "${COMPREPLY[@]}"
        done' - "$srcdir/utils/completion/sion-tools.bash" "$2" 2>&1 | sed 's/=$//' | grep . |
        sort -u >offered
    rm -f "./$2"
    check "$2: the completion offers the options of --help" same offered in_help
}

if command -v mandoc >/dev/null; then
    for page in *.[1-9]; do
        grep -q '^\.so ' "$page" || echo "$page"
    done >list
    # The pages name Scion where mandoc expects the system.
    # shellcheck disable=SC2046
    mandoc -T lint $(cat list) 2>&1 | grep -v 'operating system explicitly specified: Os Scion' >complaints
    check 'mandoc has no complaints' same complaints /dev/null
    # shellcheck disable=SC2046
    grep -L '^\.Os Scion$' $(cat list) >nameless
    check 'the pages name Scion' same nameless /dev/null
    check 'a page is about one function' test "$(grep -c '^\.Fo ' sion_paropen_mpi.3)" -eq 1
    check 'a titled comment is on the page of the header' grep -q '^\.Ss Buddy checkpoints$' sion_mpi.h.3
    for page in $(grep -l 'Made from .* sion_[a-z_]*\.h\.$' sion_*.3); do
        lines=$(plain "$page" | wc -l)
        test "$lines" -le 100 || echo "$page: $lines lines"
    done | grep -v '\.h\.3:' >long
    check 'pages of functions are short' same long /dev/null
    check 'the one of sion_paropen_mpi is, too' test "$(plain sion_paropen_mpi.3 | wc -l)" -le 60
    check 'links lead to pages' sh -c \
        "sed -n 's|^\.so man3/||p' ./*.3 | sort -u | while read -r page; do cat \"\$page\"; done"
    for tool in $TOOLS; do
        program=${tool##*/}
        check "$program has a page" test -f "$program.1"
        test -f "$program.1" || continue
        check_options "$tool" "$program"
        if command -v bash >/dev/null; then
            check_completion "$tool" "$program"
        else
            skip "$program: completion" 'no bash'
        fi
    done
else
    skip 'mandoc has no complaints' 'no mandoc'
fi

if command -v bash >/dev/null; then
    cp "$srcdir/utils/completion/sion-tools.bash" sioncat
    PATH=$builddir:$PATH bash -c '. ./sioncat
        COMP_WORDS=(sioncat --progress = al) COMP_CWORD=3; _sion_tool sioncat al =
        echo "${COMPREPLY[*]}"
        COMP_WORDS=(sioncat --progress =) COMP_CWORD=2; _sion_tool sioncat = --progress
        echo "${COMPREPLY[*]}"
        COMP_WORDS=(sioncat file) COMP_CWORD=1; _sion_tool sioncat file sioncat
        echo "${#COMPREPLY[@]}"' >out 2>&1
    printf '%s\n' always 'auto always never' 0 >wanted
    check 'completion of values' same out wanted
    # Completion of commands, and of the options of a command.
    cp "$srcdir/utils/completion/sion-tools.bash" sionarray
    PATH=$builddir:$PATH bash -c '. ./sionarray
        COMP_WORDS=(sionarray "") COMP_CWORD=1; _sion_tool sionarray "" sionarray
        printf "%s\n" "${COMPREPLY[@]}"' >out 2>&1
    sionarray_commands=$(sed -n '/command_list\[\]/,/^};/s/^ *{"\([a-z]*\)", .*/\1/p' "$srcdir/utils/sionarray/sionarray.c" | sort)
    check 'there are commands' test "$(echo "$sionarray_commands" | wc -l)" -gt 4
    echo "$sionarray_commands" >wanted
    sort out >offered
    check 'completion of commands' same offered wanted
    PATH=$builddir:$PATH bash -c '. ./sionarray
        COMP_WORDS=(sionarray stats --) COMP_CWORD=2; _sion_tool sionarray -- stats
        printf "%s\n" "${COMPREPLY[@]}"
        COMP_WORDS=(sionarray stats x) COMP_CWORD=2; _sion_tool sionarray x stats
        printf "%s\n" "${COMPREPLY[@]}"' 2>&1 | sed 's/=$//' | grep . | sort -u >offered
    "$builddir/sionarray" stats --help | options | grep '^--' >wanted
    "$builddir/sionarray" --help | options | grep '^--' >in_help
    check 'completion of the options of a command' same offered wanted
    check 'these are not all options' sh -c '! cmp -s wanted in_help'
fi

# ---- functions ----

# Declarations as the compiler sees them, one a line.
declared()
{
    for header in "$srcdir"/include/*.h; do
        printf '#include "%s"\n' "${header##*/}" |
            $CC -E -P -I"$srcdir/include" -I"$scratch/stubs" -x c - 2>>"$scratch/cpp.err"
    done | tr '\n' ' ' | sed 's/;/;\n/g' | grep -oE '\b_?sion_[a-z0-9_]+ ?\(' | tr -d ' (' |
        grep -v '_t$' | sort -u
}
mkdir ../stubs
echo 'typedef int MPI_Comm;' >../stubs/mpi.h
declared >functions
check 'there are functions' test "$(wc -l <functions)" -gt 60
ls ./*.3 | sed 's|^\./||; s|\.3$||' | sort -u >pages.list
check 'every declared function has a page' all_in functions pages.list

# Functions that the shared libraries export. No public header declares two of them.
if command -v nm >/dev/null && ls "$builddir"/.libs/libsion*.so >/dev/null 2>&1; then
    for library in "$builddir"/.libs/libsion*.so; do
        nm -D --defined-only "$library"
    done | awk '{ print $NF }' | grep -E '^_?sion_' | grep -Ev '^(sion_layer_|sion_get_IO_comm_mpi)' | sed 's/@.*//' |
        sort -u >exported
    check 'every exported function has a page' all_in exported pages.list
else
    skip 'every exported function has a page' 'no shared libraries'
fi

# A documenting comment must come right before a declaration; if another comment follows, no page
# has it.
"$AWK" 'inside { if (/@file/) where = ""; if (/\*\//) inside = 0; next }
    /^\/\*/ && where != "" { print where }
    /^\/\*/ { where = "" }
    /^\/\*\*/ { where = FILENAME ": " FNR; inside = !/\*\// }
    /^[A-Za-z_#}]/ { where = "" }' "$srcdir"/include/*.h >lost
check 'every comment of a header is on a page' same lost /dev/null

# Fortran routines that the libraries export, with the names of FORTRAN 77 and of the modules.
if command -v nm >/dev/null && ls "$builddir"/.libs/libsion*_f90.so >/dev/null 2>&1; then
    for library in "$builddir"/.libs/libsion*_f90.so; do
        nm -D --defined-only "$library"
    done | awk '{ print tolower($NF) }' | sed 's/@.*//; s/.*_mod_//; s/.*_mp_//; /_c_$/d; s/_*$//' |
        grep '^fsion_' | sort -u >routines
    check 'there are Fortran routines' test "$(wc -l <routines)" -gt 60
    check 'every Fortran routine has a page' all_in routines pages.list
else
    skip 'every Fortran routine has a page' 'no shared Fortran libraries'
fi
for module in $modules; do
    check "the module $module has a page" test -f "$module.3"
done

# Members of classes are in the public parts of the headers, after four blanks.
members()
{
    "$AWK" '/^  [a-z]*:$/ { public = /public/ } /^}/ { public = 0 }
        public && /^    [^ \/].*\(/ { sub(/\(.*/, ""); sub(/.*[ *&]/, ""); print }' "$1" | sort -u
}
for header in "$srcdir"/include/sion_cxx_*.hpp; do
    page=$(grep -l "Made from the comments in ${header##*/}" ./*.3)
    check "${header##*/} has a page" test -f "$page"
    members "$header" >wanted
    grep -oE '[A-Za-z_0-9~<>=]+\(' "$page" | tr -d '(' | sort -u >mentioned
    check "${page#./} has every member of the class" all_in wanted mentioned
done
members "$srcdir/include/sion_cxx_base.hpp" >wanted
check 'the base class has members' test "$(wc -l <wanted)" -gt 25

# At least a sentence follows the name of a function, or begins the page of one.
cat ./*.3 | "$AWK" '/^\.Nm / { page = $2 } /^\.Ss fsion_/ { name = $2; next }
    /^\.Sh DESCRIPTION/ && page ~ /^_?sion_/ { name = page; next }
    name != "" { if (/^\.S[sh]/) print name; name = "" }' >silent
check 'every function is described' same silent /dev/null

# The parameters in the synopsis of a page made from a header must be described in its comments; a
# function without a comment of its own is on the page of the previous one.
cat >parameters.awk <<'EOF'
function name_of(argument)
{
    if (match(argument, /\(\*[a-z_]+\)/))
        return substr(argument, RSTART + 2, RLENGTH - 3)
    sub(/\(.*/, "", argument)
    sub(/.*[ *]/, "", argument)
    return argument
}

FNR == 1 {
    wanted = / sion_[a-z_]*\.h\.$/
    page = ""
}
!wanted { next }
/^\.Fo / {
    fo = $2
    page = page == "" ? fo : page
    page_of[fo] = page
}
/^\.Fc/ { fo = "" }
/^\.Fa "/ && fo != "" && !/"(void|\.\.\.)"/ {
    sub(/^\.Fa "/, "")
    sub(/"$/, "")
    declared[fo " " name_of($0)] = 1
}
/^\.S[sh] / { described = $2 == "DESCRIPTION" ? page : "" }
/^\.It Fa / && described != "" {
    for (i = 3; i <= NF; i++)
        if ($i != ",")
            given[described " " $i] = 1
}
END {
    for (parameter in declared) {
        split(parameter, words, " ")
        if (!((page_of[words[1]] " " words[2]) in given))
            print words[1] ": " words[2] " is not described"
    }
    for (parameter in given) {
        split(parameter, words, " ")
        if (words[1] ~ /^_?sion_/ && !(parameter in declared))
            print words[1] ": there is no " words[2]
    }
}
EOF
"$AWK" -f parameters.awk ./*.3 | sort >strange
check 'parameters are described' test "$(cat ./*.3 | grep -c '^\.It Fa ')" -gt 300
check 'every parameter is described' same strange /dev/null

# Environment variables that the sources read, with functions that take the name; one of the
# functions is inside the debug trace. src/run is in programs under sionrun, whose page has its own.
readers='scion_env|scion_env_number|getenv'
find "$srcdir/src" -name '*.c*' ! -path '*/src/run/*' ! -name '*.o' | sort >sources
# shellcheck disable=SC2046
cat $(cat sources) | grep -oE "($readers|rank_wanted)\(\"[A-Z_0-9]+\"" |
    sed -E '/^getenv/!s/"/"SION_/; s/.*\("//; s/"//' >variables.c
grep -hoE 'environ\.get\("[A-Z_0-9]+"' "$srcdir"/python/sion/*.py "$srcdir"/python/sion/pure/*.py |
    sed -E 's/.*\("//; s/"//' | sort -u - variables.c >variables
sed -n '/^\.Sh ENVIRONMENT/,/^\.Sh SEE/s/^\.It Ev //p' sion.7 | sort -u >listed
check 'there are environment variables' test "$(wc -l <variables)" -gt 15
check 'sion(7) lists every environment variable that is read' same variables listed
# shellcheck disable=SC2046
grep -lE "($readers)\([^\"]" $(cat sources) | sed 's|.*/src/||' >indirect
printf '%s\n' base/env.c base/trace.c vfs/inject.c >wanted # the last one: ranks, by what launchers set
check 'no other variables are read' same indirect wanted

# A page has the same contents as the header: type, name, arguments, comment, return value.
if command -v mandoc >/dev/null; then
    plain fsion_get_mapping.3 >text
    check 'arguments in Fortran are shown' grep -qF \
        'integer(c_int32_t), target, contiguous, intent(inout) :: mapping(..)' text
    plain sion_paropen_mpi.3 | tr -s ' \n' '  ' >text
    for part in 'sion_paropen_mpi(const char *fname, const char *file_mode, int *numFiles,' \
        'Collective over gComm, which must live until the close.' \
        'Returns the sid; -1 on every rank if the call fails on any rank;' '#include <sion_mpi.h>'; do
        check "sion_paropen_mpi(3): $part" grep -qF "$part" text
    done
    plain sion_error.h.3 >text
    check 'types are shown' grep -q 'SION_ERR_NOT_CLOSED = -9,' text
    plain sion_ftiff.h.3 >text
    check 'code keeps its lines' grep -qx ' *if (sion_ftiff_status(state, NULL) == 1)' text
    plain sion_flush.3 | tr -s ' \n' '  ' >text
    check "each function repeats the parameters in the header's comment" \
        grep -qF 'sid an open container of this process' text
fi

finish
