# Expands a module whose routines are written once for all types of data and kinds of integers.
#
#     awk -f each.awk FILE FILE >MODULE      (the file is read twice)
#
# A routine that contains one of these words becomes one routine for each value, or combination of
# values, and the generic interface that names it names all of them:
#
#     NUMBER         a type of data; TYPE_OF_NUMBER is its constant
#     STEP, PLACE    kinds of integers

BEGIN {
    split("integer(c_int8_t),integer(c_int16_t),integer(c_int32_t),integer(c_int64_t),real(c_float)," \
        "real(c_double),complex(c_float_complex),complex(c_double_complex)", types, ",")
    ntypes = split("i8,i16,i32,i64,f32,f64,c64,c128", constants, ",")
    nkinds = split("c_int,c_int64_t", kinds, ",")
}

/^  (subroutine|function) [a-z_]+\(/ {
    routine = $2
    sub(/\(.*/, "", routine)
    text = ""
}
routine != "" {
    text = text $0 "\n"
    if ($1 == "end" && $3 == routine && $0 ~ /^  end/) {
        finish(NR == FNR)
        routine = ""
    }
    next
}
NR == FNR { next }
$1 == "module" && $2 == "procedure" && $3 in names { print names[$3]; next }
{ print }

# The first time only the names of what a routine becomes are noted.
function finish(is_first,    n, s, p)
{
    if (text !~ /NUMBER|STEP|PLACE/) {
        if (!is_first)
            printf "%s", text
        return
    }
    for (n = 1; n <= (text ~ /NUMBER/ ? ntypes : 1); n++)
        for (s = 1; s <= (text ~ /STEP/ ? nkinds : 1); s++)
            for (p = 1; p <= (text ~ /PLACE/ ? nkinds : 1); p++)
                one(routine "_" n s p, is_first, n, s, p)
}

function one(name, is_first, n, s, p,    copy)
{
    if (is_first) {
        names[routine] = names[routine] (names[routine] == "" ? "" : "\n") "    module procedure " name
        return
    }
    copy = text
    gsub("TYPE_OF_NUMBER", "sion_" constants[n], copy)
    gsub("NUMBER", types[n], copy)
    gsub("STEP", kinds[s], copy)
    gsub("PLACE", kinds[p], copy)
    gsub("subroutine " routine, "subroutine " name, copy)
    gsub("function " routine, "function " name, copy)
    print copy
}
