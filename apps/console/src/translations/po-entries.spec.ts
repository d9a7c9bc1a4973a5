import { missingEntries, poEntries, withEmptyEntries } from './po-entries';

const EN = `msgid ""
msgstr "Language: en\\n"

# A greeting
msgid "Hello"
msgstr "Hello"

msgctxt "menu"
msgid "Open"
msgstr "Open"

msgid "%d \\"file\\""
msgid_plural "%d files"
msgstr[0] "%d file"
msgstr[1] "%d files"

msgid ""
"Long "
"text\\n"
msgstr "Long text\\n"

#~ msgid "Old"
#~ msgstr "Old"
`;

it('reads entries with context, plural and several lines, without header and obsolete ones', () => {
  expect(poEntries(EN)).toEqual([
    { context: '', id: 'Hello', text: 'Hello', isFuzzy: false },
    { context: 'menu', id: 'Open', text: 'Open', isFuzzy: false },
    { context: '', id: '%d "file"', plural: '%d files', text: '%d file', isFuzzy: false },
    { context: '', id: 'Long text\n', text: 'Long text\n', isFuzzy: false },
  ]);
  expect(poEntries('msgid "a\nmsgstr "b" c')).toEqual([]);
});

it('finds what another catalogue lacks, has empty, or has not reviewed', () => {
  const fr = 'msgid "Open"\nmsgstr "Ouvrir"\n\n#, c-format, fuzzy\nmsgid "Hello"\nmsgstr "Salut"\n\nmsgid "Long text\\n"\nmsgstr ""\n';

  expect(missingEntries(fr, EN).map(({ context, id, state }) => [context, id, state])).toEqual([
    ['', 'Hello', 'fuzzy'],
    ['menu', 'Open', 'absent'],
    ['', '%d "file"', 'absent'],
    ['', 'Long text\n', 'empty'],
  ]);
  expect(missingEntries(EN, EN)).toEqual([]);
});

it('adds empty entries for absent ones, which are then there', () => {
  const added = withEmptyEntries('msgid "Hello"\nmsgstr "Salut"\n\n', missingEntries('msgid "Hello"\nmsgstr "Salut"', EN));

  expect(added).toMatch(/^msgid "Hello"\nmsgstr "Salut"\n\nmsgctxt "menu"\nmsgid "Open"\nmsgstr ""\n\nmsgid "%d \\"file\\""\n/);
  expect(missingEntries(added, EN).map(({ state }) => state)).toEqual(['empty', 'empty', 'empty']);
  expect(withEmptyEntries(EN, [])).toBe(EN);
});
