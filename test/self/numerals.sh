# Numbers in texts do not depend on the locale: floating-point numbers are read and printed by
# src/base/numerals.c, and tools stay in the locale "C" (utils/lib/tool.c).
. "$srcdir/test/harness.sh"

# sources FOLDER...: the C and C++ sources below them but for numerals.c and .h
sources()
{
    find "$@" -name '*.c' -o -name '*.cc' -o -name '*.h' -o -name '*.hpp' -o -name '*.awk' |
        grep -v 'src/base/numerals\.[ch]$' | sort
}

reads='\b(strto(d|f|ld)|atof|wcsto(d|f|ld)|std::sto[dfl]|(f|s|vs|vf)?scanf *\(.*%[^"]*[aefgAEFG])\b'
prints='%[-+ #0-9.*]*[lL]?[aefgAEFG]([^A-Za-z0-9_]|$)'
plain='(^|[^A-Za-z_])((f|s|sn|v|vf|vs|vsn|d|vd|as|vas)?printf|setprecision|std::to_string) *\('

# no_reader FILE...: none of them reads numbers with a function of the C library
no_reader()
{
    ! grep -nE "$reads" "$@"
}

# no_printer FILE...: files that print floating-point numbers print with ours only
no_printer()
{
    for file; do
        grep -E "$prints" "$file" | grep -q '"' && grep -nE "$plain" "$file" /dev/null
    done >"$scratch/found"
    cat "$scratch/found"
    test ! -s "$scratch/found"
}

cd "$srcdir" || exit 99
printf 'x = strtod(text, 0);\n' >"$scratch/reads.c"
printf 'snprintf(text, 9, "%%.3f s", x);\n' >"$scratch/prints.c"
printf 'scion_print(to, "%%-9s %%10.6f\\n", x);\n' >"$scratch/ours.c"
! no_reader "$scratch/reads.c" >/dev/null
result $? 'a function that reads is found'
! no_printer "$scratch/prints.c" >/dev/null
result $? 'a function that prints is found'
check 'ours is not' no_printer "$scratch/ours.c"

# shellcheck disable=SC2046
{
    check 'the library reads no number in the locale' no_reader $(sources src include)
    check 'the library prints no number in the locale' no_printer $(sources src include)
}
no_locale()
{
    ! grep -rnE '\b(setlocale|locale\.(setlocale|atof|str|format_string)|std::locale)\b' \
        src include python utils | grep -v '^utils/lib/tool\.c:'
}
check 'only the start of a tool sets a locale' no_locale
check 'tools are in the locale "C"' grep -q 'setlocale(LC_ALL, "C")' utils/lib/tool.c
finish
