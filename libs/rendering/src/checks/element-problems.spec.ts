import type { ElementalNode } from '@tidings/contracts/content/elemental';
import { CONTENTS } from '../golden/contents.fixture';
import { draftWarnings, publishedWarnings } from './element-problems';

const contentOf = (...elements: unknown[]): { elements: ElementalNode[] } => ({ elements: elements as ElementalNode[] });
/** The warnings about elements before a text. */
const published = (...elements: unknown[]): string[] =>
  publishedWarnings(contentOf(...elements, { type: 'text', content: 'x' }), 'content');

describe('published content', () => {
  it.each<[string, unknown, string]>([
    ['an action without href', { type: 'action', content: 'Go' }, ' is an action without href'],
    [
      'an action with an empty href',
      { type: 'action', content: 'Go', href: ' ', url: 'x' },
      ' is an action without href (its url is unknown)',
    ],
    ['a text without content', { type: 'text' }, ' is a text without content or elements'],
    ['a text with nothing', { type: 'text', content: null, elements: [] }, ' is a text without content or elements'],
    [
      'a text with a misspelled content',
      { type: 'text', contents: 'Hi' },
      ' is a text without content or elements (its contents is unknown)',
    ],
    ['one within another', { type: 'group', elements: [{ type: 'text' }] }, '.elements[0] is a text without content or elements'],
  ])('is refused for %s', (_, element, message) => {
    const refused = { code: 'invalid_request', message: `content.elements[0]${message}` };
    expect(() => published(element)).toThrow(expect.objectContaining(refused) as Error);
    expect(draftWarnings(contentOf(element), 'content')[0]).toBe(`${refused.message}: this cannot be published`);
  });

  it.each<[string, unknown[], string]>([
    ['no element', [], 'must have one element at least (got an empty array)'],
    ['an empty text', [{ type: 'text', content: '' }], 'show nothing on any channel, as their texts are blank'],
    ['invisible characters', [{ type: 'group', elements: [{ type: 'quote', content: '\u200b' }] }], 'show nothing on any channel'],
    ['a divider', [{ type: 'meta', title: ' ' }, { type: 'divider' }], 'show nothing on any channel'],
    ['channels without elements', [{ type: 'channel', channel: 'sms', elements: [] }], 'show nothing on any channel'],
  ])('is refused where all that it has is %s', (_, elements, message) => {
    const refused = expect.stringContaining(`content.elements ${message}`) as string;
    expect(() => publishedWarnings(contentOf(...elements), 'content')).toThrow(
      expect.objectContaining({ code: 'invalid_request', message: refused }) as Error,
    );
    expect(draftWarnings(contentOf(...elements), 'content')).toEqual([expect.stringMatching(/: this cannot be published$/)]);
  });

  it.each<[string, unknown]>([
    ['a title', { type: 'meta', title: 'x' }],
    ['an image', { type: 'image', src: 'https://a.example/a.png' }],
    ['raw content', { type: 'channel', channel: 'push', raw: {} }],
    ['a text of a language', { type: 'text', content: '', locales: { fr: { content: 'x' } } }],
    ['a variable', { type: 'list', elements: [{ type: 'list-item', content: '{{name}}' }] }],
  ])('may have %s alone', (_, element) => {
    expect(publishedWarnings(contentOf(element), 'content')).toEqual([]);
  });

  it('is refused for a mistake after twenty warnings', () => {
    const unknowns = Array.from({ length: 30 }, () => ({ type: 'divider', colour: 'red' }));
    expect(() => published(...unknowns, { type: 'action' })).toThrow('content.elements[30] is an action without href');
  });

  it.each<[string, unknown, string[]]>([
    [
      'an unknown alignment',
      { type: 'text', content: 'x', align: 'middle' },
      ['align is none of left, center, right, full, and has no effect (got "middle")'],
    ],
    [
      'an unknown text style',
      { type: 'quote', content: 'x', textStyle: 'h9' },
      ['textStyle is none of text, h1, h2, h3, subtext, and has no effect (got "h9")'],
    ],
    [
      'an unknown style',
      { type: 'action', content: 'x', href: 'https://a.example', style: 'big' },
      ['style is none of button, secondary, tertiary, link, and has no effect (got "big")'],
    ],
    ['a word that is no color', { type: 'divider', color: 'bluish' }, ['color is no color, and has no effect (got "bluish")']],
    [
      'a size that is none',
      { type: 'image', src: 'cid:a', width: 'wide', padding: '1 2 3 4 5' },
      ['width is no size, and has no effect (got "wide")', 'padding is not one to four sizes, and has no effect (got "1 2 3 4 5")'],
    ],
    ['an image without URL', { type: 'image', src: 'logo.png' }, ['src is no URL of an image (got "logo.png")']],
    ['a picture that may run', { type: 'image', src: 'javascript:x' }, ['src is no URL of an image (got "javascript:x")']],
    ['a target without scheme', { type: 'action', content: 'x', href: 'a.example' }, ['href is no URL (got "a.example")']],
    [
      'an unknown property',
      { type: 'text', content: 'x', contents: 'y', 'a.b': 1 },
      ['contents is unknown, and has no effect', '["a.b"] is unknown, and has no effect'],
    ],
    ['a property of another type', { type: 'meta', title: 'x', align: 'left' }, ['align is unknown, and has no effect']],
    [
      'a value of a language',
      { type: 'image', src: 'https://a.example/a.png', locales: { fr: { src: 'b' } } },
      ['locales.fr.src is no URL of an image (got "b")'],
    ],
  ])('is warned about for %s', (_, element, warnings) => {
    const paths = warnings.map((warning) => (warning.startsWith('[') ? `content.elements[0]${warning}` : `content.elements[0].${warning}`));
    expect(published(element)).toEqual(paths);
  });

  it('is warned about for an image without src, and for unknown properties of its own', () => {
    const content = {
      ...contentOf({ type: 'image', href: 'https://a.example' }, { type: 'text', content: 'x' }),
      version: '2022-01-01',
      titel: 'x',
    };
    expect(publishedWarnings(content, 'content')).toEqual([
      'content.titel is unknown, and has no effect',
      'content.elements[0] has no src: nothing is shown',
    ]);
  });

  it('is warned about twenty times at most', () => {
    expect(published(...Array.from({ length: 100 }, () => ({ type: 'divider', colour: 'red' })))).toHaveLength(20);
  });

  it.each([CONTENTS.order, CONTENTS.channels])('causes no warning where all that it has is rendered', (content) => {
    expect(publishedWarnings(content, 'content')).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['variables', { type: 'action', content: 'Go', href: '{{url}}', align: '{{align}}', color: '{color}', padding: '{{p}}' }],
    ['a variable as the image', { type: 'image', src: '{{image}}', width: 120, altText: 'a', border_color: 'Teal' }],
    [
      'addresses of apps, mails and telephones',
      {
        type: 'text',
        elements: [
          { type: 'link', href: 'shop://cart' },
          { type: 'link', href: 'mailto:a@b.example' },
        ],
      },
    ],
    ['pictures of the mail itself', { type: 'img', src: 'data:image/png;base64,AA==' }],
    ['addresses with the scheme of the page', { type: 'image', src: '//cdn.example/a.png' }],
    ['an href in a language', { type: 'action', content: 'x', locales: { fr: { href: 'https://a.example' } } }],
    [
      'texts in languages, and empty ones',
      {
        type: 'group',
        elements: [
          { type: 'text', locales: { fr: { content: 'x' } } },
          { type: 'text', content: '' },
        ],
      },
    ],
    ['any property under a name that later elements read', { type: 'text', content: 'x', ref: 'own', level: 3 }],
    ['anything in a comment', { type: 'comment', author: 'ada' }],
    [
      'what an answer added',
      { type: 'text', id: 'a', checksum: 'b', content: 'x', locales: { fr: { content: 'y', id: 'a', checksum: 'c' } } },
    ],
    ['raw content', { type: 'channel', channel: 'slack', raw: { align: 'middle' } }],
    [
      'flags, sizes and colors',
      {
        type: 'text',
        content: 'x',
        bold: 'true',
        italic: true,
        font_size: '12px',
        line_height: 1.5,
        color: 'rgba(1, 2, 3, .5)',
        text_style: 'H1',
      },
    ],
  ])('may have %s', (_, element) => {
    expect(published(element)).toEqual([]);
  });
});
