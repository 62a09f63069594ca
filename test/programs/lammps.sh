# LAMMPS: dumps and restart files of each rank.
. "$srcdir/test/programs/lib.sh"
needs lmp

cat >in.start <<'END'
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 6 0 6 0 6
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
fix 1 all nve
dump d all custom 20 out/dump.%.* id x y z
restart 20 out/restart.%.*
run 40
END
cat >in.restart <<'END'
read_restart out/restart.%.40
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
fix 1 all nve
dump d all custom 20 out/again.%.* id x y z
restart 20 out/restart.%.*
run 20
END
mkdir reference packed || exit 99
cp in.* reference && cp in.* packed || exit 99
cd reference && mkdir out || exit 99
logged on_ranks 2 lmp -in in.start && logged on_ranks 2 lmp -in in.restart
result $? 'without sionrun'

cd ../packed && mkdir out || exit 99
check 'a run makes a container' \
    logged on_ranks 2 "$sionrun" -o first.sion --files 'out/*' lmp -in in.start
check 'a run goes on from it' \
    logged on_ranks 2 "$sionrun" -i first.sion -o second.sion --files 'out/*' lmp -in in.restart
check 'the folder is empty' test -z "$(ls -A out)"
check 'nothing stays on the node' nothing_staged
mkdir all
check 'all files come back' unpacked all first.sion second.sion
check 'they are those that are written without sionrun' same_trees ../reference/out all/out
finish
