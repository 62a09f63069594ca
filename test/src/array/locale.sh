# A program whose locale has a decimal comma: numbers that the library reads and prints have a point.
. "$srcdir/test/harness.sh"
command -v localedef >/dev/null || skip_all 'localedef is missing'
LOCPATH=$scratch
export LOCPATH
localedef -i de_DE -f UTF-8 "$scratch/de_DE.UTF-8" 2>/dev/null ||
    test -f "$scratch/de_DE.UTF-8/LC_NUMERIC" || skip_all 'localedef cannot make de_DE.UTF-8'
program=$(cd "$builddir" && pwd)/test/src/array/locale
cd "$scratch" || exit 99

SION_DEBUG=trace SION_DEBUG_MASK=-1 SION_STATS=json "$program" de_DE.UTF-8 >out 2>stats
result $? 'numbers of arrays'
show out

cat >are_json.py <<'EOS'
import json, sys
reports = [json.loads(line) for line in open("stats") if line.startswith("{")]
assert reports and all("seconds" in report for report in reports), reports
EOS
check 'statistics are JSON' python3 are_json.py
check 'the seconds of the trace' grep -Eq '^sion [0-9]+\.[0-9]{6} ' trace.00000
check 'numbers that the application adds to the trace' grep -q 'ours 0\.25' trace.00000

# report KIND: the text report
SION_STATS=1 "$program" de_DE.UTF-8 >/dev/null 2>text
check 'the text report has numbers with a point' grep -Eq 'open +[0-9]+\.[0-9]{6}' text
not_in_text()
{
    ! grep -E '[0-9],[0-9]' text
}
check '... and none with a comma' not_in_text
finish
