"""The deliberate faults of mutants.py: possible changes of sources in C, C++ and Fortran."""
import collections
import os
import re

SWAPS = {
    '<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '==', '&&': '||', '||': '&&',
    '+': '-', '-': '+', '+=': '-=', '-=': '+=', '++': '--', '--': '++',
    '/=': '==', '.and.': '.or.', '.or.': '.and.',
}
OPERATOR = re.compile(r'(?<= )(<=|>=|==|!=|&&|\|\||\+=|-=|<|>|\+|-)(?= )|(\+\+|--)')
NUMBER = re.compile(r'(?<![\w.\[])(\d+)(?![\w.\]])')
CONDITION = re.compile(r'^(\s*(?:\} else )?(?:if|while) \()(.*)(\)(?: \{)?)$')
CALL = re.compile(r'^(\s+)[a-z_]\w*\([^{}]*\);$')
METHOD_CALL = re.compile(r'^(\s+)[a-z_][\w:.]*(?:->\w+)*\([^{}]*\);$')
ASSIGNMENT = re.compile(r'^(\s+)[*a-z_][\w>.\[\]-]* [-+|&]?= [^{}]*;$')
RETURN = re.compile(r'^(\s+return )(?!0;|NULL;)([^;{}]+);$')

# C++: keywords of blocks on lines of their own that are not functions.
NO_FUNCTION = re.compile(r'\s*(?:template <.*> )?(?:class|struct|namespace|enum|union|extern)\b')

FORTRAN_OPERATOR = re.compile(r'(?<= )(<=|>=|==|/=|\.and\.|\.or\.|<|>|\+|-)(?= )')
FORTRAN_CONDITION = re.compile(r'^(\s*(?:else )?if \()(.*)(\) (?:then|call .*|[a-z_]\w* = .*))$')
FORTRAN_CALL = re.compile(r'^(\s+)(?:if \(.*\) )?call [a-z_]\w*\(.*\)$')
FORTRAN_ASSIGNMENT = re.compile(r'^(\s+)(?:if \(.*\) )?[a-z_]\w*(?:\(.*\))? = [^&]*$')

Change = collections.namedtuple('Change', 'path line new what name')


def blank(pattern, text):
    """The text, with blanks in place of what matches."""
    return re.sub(pattern, lambda m: re.sub(r'[^\n]', ' ', m.group(0)), text, flags=re.S | re.M)


def swaps_and_numbers(operator, line, mask):
    for m in operator.finditer(mask):
        new = SWAPS[m.group(0)]
        yield line[:m.start()] + new + line[m.end():], "%s becomes %s" % (m.group(0), new)
    for m in NUMBER.finditer(mask):
        new = str(int(m.group(1)) + 1) if m.group(1) != '1' else '0'
        yield line[:m.start()] + new + line[m.end():], "%s becomes %s" % (m.group(1), new)


def negation(condition, negator, line, mask):
    m = condition.match(mask)
    if m and m.group(2).count('(') == m.group(2).count(')'):
        first, last = m.span(2)
        yield line[:first] + negator + '(' + line[first:last] + ')' + line[last:], 'condition negated'


class C:
    call = CALL

    @staticmethod
    def masked(text):
        """The text without comments, strings, characters and preprocessor lines."""
        return blank(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:\\\n|[^\n])*', text)

    @staticmethod
    def bodies(masks):
        """For each line, whether it is in the body of a function."""
        inside = False
        for mask in masks:
            if mask == '{':
                inside = True
            elif mask == '}':
                inside = False
            yield inside

    @classmethod
    def changes(cls, line, mask):
        """(new line, what was changed) for each change of a line."""
        yield from swaps_and_numbers(OPERATOR, line, mask)
        yield from negation(CONDITION, '!', line, mask)
        for pattern, what in ((cls.call, 'call left out'), (ASSIGNMENT, 'assignment left out')):
            m = pattern.match(mask)
            if m:
                yield m.group(1) + ';', what
        m = RETURN.match(mask)
        if m:
            yield m.group(1) + '0;', 'returns 0'


class Cxx(C):
    """C++, where functions may be inside classes."""
    call = METHOD_CALL

    @staticmethod
    def bodies(masks):
        end, before = None, ''  # what the last line of the function looks like
        for mask in masks:
            text = mask.strip()
            if end is None and text == '{' and not NO_FUNCTION.match(before):
                end = mask.replace('{', '}').rstrip()
                yield False
            else:
                if mask.rstrip() == end:
                    end = None
                yield end is not None
            if text:
                before = mask


class Fortran:
    @staticmethod
    def masked(text):
        """The text without strings and comments."""
        return blank(r'"[^"\n]*"|\'[^\'\n]*\'|![^\n]*', text)

    @staticmethod
    def bodies(masks):
        """Lines after `contains`, except declarations, interfaces, and statements of several lines."""
        after = interface = follows = False
        for mask in masks:
            text = mask.strip()
            after = after or text == 'contains'
            interface = (interface or text.startswith('interface')) and not text.startswith('end interface')
            continued = text.endswith('&')
            yield (after and not interface and not follows and not continued and '::' not in text and
                   re.match(r'(end|use|import|implicit)\b', text) is None)
            follows = continued

    @staticmethod
    def changes(line, mask):
        yield from swaps_and_numbers(FORTRAN_OPERATOR, line, mask)
        yield from negation(FORTRAN_CONDITION, '.not. ', line, mask)
        for pattern, what in ((FORTRAN_CALL, 'call left out'), (FORTRAN_ASSIGNMENT, 'assignment left out')):
            m = pattern.match(mask)
            if m:
                yield m.group(1) + 'continue', what


LANGUAGES = {'.c': C, '.cc': Cxx, '.hpp': Cxx, '.f90': Fortran}


def changes_of_file(root, path):
    """(path, number of the line, new line, what was changed)"""
    language = LANGUAGES[os.path.splitext(path)[1]]
    with open(os.path.join(root, path), encoding='utf-8') as f:
        text = f.read()
    lines, masks = text.split('\n'), language.masked(text).split('\n')
    for i, (line, mask, inside) in enumerate(zip(lines, masks, language.bodies(masks))):
        if inside:
            for new, what in language.changes(line, mask):
                yield path, i, new, what


def named_changes(root, changes):
    """With names that edits elsewhere do not affect: the text of the line, and a count of equal ones."""
    texts, seen, named = {}, collections.Counter(), []
    for path, line, new, what in changes:
        if path not in texts:
            with open(os.path.join(root, path), encoding='utf-8') as f:
                texts[path] = f.read().split('\n')
        name = '%s: %s: %s' % (path, texts[path][line].strip(), new.strip())
        seen[name] += 1
        named.append(Change(path, line, new, what, '%s: %d' % (name, seen[name])))
    return named
