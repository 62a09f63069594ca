# Processes of all kinds are redirected: threads, forks, signals, children that share memory.
program=processes
. "$srcdir/test/run/cases.sh"
