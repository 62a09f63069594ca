# What people do with files in a shell. Run by programs.sh; prints what must be equal. m/before is there.
set -e
mkdir -p m/t/deep
echo one >m/t/one
seq 1000 >m/t/deep/numbers
ln -s one m/t/link
ln m/t/one m/t/hard
ls m m/t | cat
find m ! -name m -printf '%p %y %m %l\n' | sort
tar cf m/all.tar --sort=name --mtime=@0 -C m t
mkdir m/out
tar xf m/all.tar -C m/out
diff -r m/t m/out/t
cp -r m/t m/copy
cp -a m/t m/archive
mv m/copy m/moved
mv m/moved/one outside
cat outside
mv outside m/inside
gzip m/moved/deep/numbers
zcat m/moved/deep/numbers.gz | tail -n 1
gunzip m/moved/deep/numbers.gz
grep -rl 100 m | sort
sed -i s/one/two/ m/inside
cat m/inside
echo more >>m/before
cat m/before
touch -d '2001-02-03 04:05:06' m/inside
stat -c '%n %Y %s' m/inside
chmod 640 m/inside
dd if=/dev/zero of=m/holes bs=1 count=0 seek=100000 2>&- && stat -c '%s' m/holes
(cd m/moved/deep && pwd | sed 's|.*/||' && ls .. && cat ../../inside)
rm -r m/archive m/out
ls -l m/inside | cut -d ' ' -f 1
sort -o m/sorted m/t/deep/numbers
head -n 2 m/sorted
mkfifo m/fifo
(echo through >m/fifo &)
cat m/fifo
rm m/fifo
printf 'int main(void) { return 5; }\n' >m/c.c
${CC:-cc} -o m/c m/c.c
m/c || echo $?
(cd m && ./c) || echo $?
PATH=m:$PATH
c || echo $?
find m -type f -newermt '2001-01-01' ! -newermt '2002-01-01'
rmdir m/t 2>&- || echo not empty
rm m/c m/c.c
