"""Compares the cases that geometry_collective prints with the sample model of a collective layout."""
import sys

sys.path.insert(0, sys.argv[1])
import collective_layout_model as model

seen = wrong = 0
for line in sys.stdin:
    if line.startswith('#'):
        print(line, end='')
        continue
    block, collsize, merge, only_sends, requested, stored, groups = line.split()
    requested = [int(x) for x in requested.split(',')]
    layout = model.merge if int(merge) else model.collective
    expected = layout(int(block), int(collsize), requested, [c == '1' for c in only_sends])[1]
    found = zip((int(x) for x in stored.split(',')), (tuple(map(int, g.split(':'))) for g in groups.split(',')))
    if [(size, collector, n) for size, start, collector, n in expected] != [(size, g[0], g[1]) for size, g in found]:
        wrong += 1
        print('# differs:', line[:500])
    seen += 1
print('#', seen, 'cases,', wrong, 'differ')
sys.exit(wrong != 0 or seen != int(sys.argv[2]))
