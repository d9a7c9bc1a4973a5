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
  ['a sign that begins no tag', '1 < 2 > 0, <3', '1 < 2 > 0, <3'],
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
