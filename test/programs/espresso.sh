# Quantum ESPRESSO: wave functions of each rank, and a folder that rank 0 writes.
. "$srcdir/test/programs/lib.sh"
needs pw.x
pseudo=/usr/share/doc/quantum-espresso/examples/EPW/sic/pp/Si.pz-vbc.UPF.gz
test -e $pseudo || skip_all 'the examples of Quantum ESPRESSO are not installed'

gunzip <$pseudo >Si.UPF
input()
{
    cat <<END
&control
 calculation='$1', prefix='si', pseudo_dir='.', outdir='out', disk_io='medium'
/
&system
 ibrav=2, celldm(1)=10.2, nat=2, ntyp=1, ecutwfc=8.0, nbnd=6
/
&electrons
 conv_thr=1e-8
/
ATOMIC_SPECIES
 Si 28.086 Si.UPF
ATOMIC_POSITIONS alat
 Si 0.00 0.00 0.00
 Si 0.25 0.25 0.25
K_POINTS automatic
 2 2 2 0 0 0
END
}
input scf >scf.in
input nscf >nscf.in
# What says when and where it ran
without_times()
{
    find "$1" -name '*.xml' -exec sed -i -E \
        '/<creator|<created|<general_info|<cpu|<wall|<clock|<parallel_info|DATE|TIME/d' {} +
}
mkdir reference packed || exit 99
for folder in reference packed; do
    cp Si.UPF ./*.in $folder
done
cd reference || exit 99
logged on_ranks 2 pw.x -in scf.in && logged on_ranks 2 pw.x -in nscf.in
result $? 'without sionrun'

cd ../packed || exit 99
check 'a run makes a container' logged on_ranks 2 "$sionrun" -o first.sion --files 'out/**' pw.x -in scf.in
check 'a run goes on from it' \
    logged on_ranks 2 "$sionrun" -i first.sion -o second.sion --files 'out/**' pw.x -in nscf.in
check 'there is no folder' test ! -e out
check 'nothing stays on the node' nothing_staged
mkdir all
check 'all files come back' unpacked all first.sion second.sion
without_times all
without_times ../reference/out
check 'they are those that are written without sionrun' same_trees ../reference/out all/out
finish
