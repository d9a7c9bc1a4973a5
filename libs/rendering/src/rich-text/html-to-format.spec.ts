import fc from 'fast-check';
import { type DefaultTreeAdapterMap, parseFragment } from 'parse5';
import { htmlToFormat } from './html-to-format';
import { MARKDOWN, MRKDWN, PLAIN } from './text-format';

const plain = (html: string): string => htmlToFormat(html, PLAIN, (url) => url);

it.each([
  ['named entities', 'Caf&eacute; &mdash; &copy;', 'Café — ©'],
  ['numbered ones', '&#67;af&#xe9; &#8212; &#169 &#x1F600;', 'Café — © 😀'],
  ['one without a semicolon, as browsers do', 'AT&ampT, &copy2024', 'AT&T, ©2024'],
  ['what is no entity', 'a && b &nonsense; &', 'a && b &nonsense; &'],
  ['what is escaped twice, once', '&amp;eacute;', '&eacute;'],
  ['a control character', 'a&#1;b', 'a b'],
  ['an attribute with >', '<a title="save > 10%" href="https://a.example/?b=1&amp;c=2">go</a>', 'go: https://a.example/?b=1&c=2'],
  ['an attribute in single quotes, or in none', "<a title='>' href=https://a.example>go</a>", 'go: https://a.example'],
  ['the first of two attributes', '<a href="https://a.example" href="https://b.example">go</a>', 'go: https://a.example'],
  ['a parameter named as an entity', '<a href="https://a.example/?a=1&copy=2">go</a>', 'go: https://a.example/?a=1&copy=2'],
  [
    'an attribute that ends in the name of another',
    '<a data-href="https://b.example" HREF="https://a.example">go</a>',
    'go: https://a.example',
  ],
  ['a character that starts no tag', '1 < 2 > 0, <3', '1 < 2 > 0, <3'],
  ['a comment with a tag in it', 'a<!-- <b title=">"> -->b', 'ab'],
  ['a comment that browsers end', 'a<!-- x --!>b', 'ab'],
  ['what only some clients are shown', '<!--[if mso]>Outlook<![endif]--><!--[if !mso]><!-->all<!--<![endif]-->', 'all'],
  ['a style with tags in it', 'a<style>b::before { content: "<i>" }</style><script>"</b>"</script>c', 'ac'],
  ['what never ends', 'a <b title="', 'a'],
])('reads %s', (_, html, text) => {
  expect(plain(html)).toBe(text);
});

it('escapes what it decoded', () => {
  expect(htmlToFormat('&lt;@U1&gt; &lowast;', MRKDWN, (url) => url)).toBe('&lt;@U1&gt; ∗');
  expect(htmlToFormat('&ast;caf&eacute;&ast;', MARKDOWN, (url) => url)).toBe('\\*café\\*');
});

const textOf = (node: DefaultTreeAdapterMap['node']): string =>
  'value' in node ? node.value : 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
const withoutSpaces = (text: string): string => text.replace(/[\0-\x20\ufffd]/g, '');

it('shows the letters that browsers show', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '&eacute;',
      '&copy',
      '&notin;',
      '&notit;',
      '&#151;',
      '&#x26;',
      '&amp;lt;',
      '&NotEqualTilde;',
      '&',
      '<',
      '>',
      '"',
      "'",
      '=',
      'a',
      '1',
      ';',
      ' ',
    ),
    fc.constantFrom(
      '<b>',
      '</b>',
      '<i title="a > b">',
      "<i title='>\"' data-x=y>",
      '</i >',
      '<span class=a/b>',
      '<!-- <b> -->',
      '<!--',
      '--!>',
      '-->',
    ),
    fc.stringMatching(/^[a-z0-9 .;#é-]{1,3}$/),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const html = `${pieces.join('')} end`;
      expect(withoutSpaces(plain(html))).toBe(withoutSpaces(textOf(parseFragment(html))));
    }),
    { numRuns: 2_000 },
  );
});

describe('with omitted end tags', () => {
  it.each([
    ['of a cell', '<p>Start</p><table><tr><td>a</td></table><p>After: 1234</p>', 'Start\n\na\n\nAfter: 1234'],
    ['of a table', '<table><tr><td>Your code is <b>1234', 'Your code is 1234'],
    ['of all but the table', '<table><tr><td>Your code is 1234</table>', 'Your code is 1234'],
    ['of cells beside one another', '<table><tr><td>ACME Inc<td>unsubscribe</table><p>Legal</p>', 'ACME Inc | unsubscribe\n\nLegal'],
    ['of rows', '<table><caption>T<thead><tr><th>a<th>b<tbody><tr><td>c<td>d</table>', 'T\na | b\nc | d'],
    ['of a row that has no start tag', '<table><td>a<td>b<tr><td>c</table>', 'a | b\nc'],
    ['of a table within a cell', '<table><tr><td>a<table><tr><td>b<td>c</table>d<td>e<tr><td>f</table>', 'a\nb | c\nd\ne\nf'],
    ['of a list within a cell', '<table><tr><td><ul><li>a<li>b<td>c</table>after', 'a b | c\n\nafter'],
    ['of items', '<ul><li>a<li>b<li>c</ul>after', '- a\n- b\n- c\n\nafter'],
    ['of items with lists of their own', '<ol><li>a<ul><li>b<li>c</ul><li>d</ol>after', '1. a\n   - b\n   - c\n2. d\n\nafter'],
    ['of terms', '<p>x</p><dl><dt>a<dd>b<dt>c<dd>d</dl>after', 'x\n\na\nb\nc\nd\n\nafter'],
    ['of paragraphs', '<p>a<p>b<div>c', 'a\n\nb\n\nc'],
    ['of a head', '<!doctype html><html><head><title>T</title><style>a</style><meta charset=utf-8><body>shown', 'shown'],
    ['which nothing opened', '<ul><li>a</ul></ul></td></tr></table>b', '- a\n\nb'],
  ])('reads: %s', (_, html, text) => {
    expect(plain(html)).toBe(text);
  });

  const wordsOf = (text: string): string[] => (text.match(/w\d+/g) ?? []).sort();
  const OPTIONAL = ['table', 'caption', 'thead', 'tbody', 'tr', 'td', 'th', 'ul', 'ol', 'li', 'dl', 'dt', 'dd', 'p', 'blockquote', 'pre'];
  const names = fc.constantFrom(...OPTIONAL, 'div', 'h2', 'b', 'span', 'code', 'head', 'body');
  const { tree } = fc.letrec<{ tree: string; within: string[] }>((tie) => ({
    within: fc.array(fc.oneof({ maxDepth: 6 }, fc.constant(' TEXT '), tie('tree')), { maxLength: 4 }),
    tree: fc
      .tuple(names, tie('within'), fc.boolean())
      .map(([name, within, ends]) => `<${name}>${within.join('')} TEXT ${ends ? `</${name}>` : ''}`),
  }));

  it('shows all words', () => {
    fc.assert(
      fc.property(fc.array(tree, { maxLength: 6 }), (trees) => {
        let words = 0;
        const html = `${trees.join('')} TEXT `.replace(/TEXT/g, () => `w${(words += 1)}`);
        for (const format of [PLAIN, MARKDOWN]) expect(wordsOf(htmlToFormat(html, format, (url) => url))).toEqual(wordsOf(html));
      }),
      { numRuns: 1_000 },
    );
  });

  it('shows text nested deeper than the tracked elements', () => {
    expect(wordsOf(plain(`${'<table><tr><td><ul><li>w1 '.repeat(600)}${'</ul>w2</td>'.repeat(600)}w3`))).toHaveLength(1201);
  });
});
