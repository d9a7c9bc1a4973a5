import { assertElemental, ELEMENTAL_DEPTH_MAX, ELEMENTAL_LISTS_MAX, ELEMENTAL_NODES_MAX, elementsWithin } from './assert-elemental';
import type { ElementalNode } from './elemental';

const nested = (type: string, levels: number): object => ({ type, elements: levels === 1 ? [] : [nested(type, levels - 1)] });
const lists = (levels: number): object => ({
  type: 'list',
  elements: levels === 1 ? [] : [{ type: 'list-item', elements: [lists(levels - 1)] }],
});
const check = (...elements: unknown[]) => assertElemental({ version: '2022-01-01', elements }, 'content');

it('accepts every node type of the interface, also in older spellings', () => {
  expect(() =>
    check(
      { type: 'meta', title: 'Hi', locales: { 'fr-FR': { title: 'Salut' } } },
      {
        type: 'text',
        bold: 'true',
        font_size: 12,
        channels: ['email'],
        ref: 'a',
        elements: [
          { type: 'string', content: 'A', italic: true },
          { type: 'link', content: 'B', href: 'https://example.com' },
          { type: 'img', src: 'https://example.com/a.png', altText: 'C' },
        ],
        locales: { de: { elements: [{ type: 'string', content: 'Ah' }] } },
      },
      { type: 'image', src: 'x', altText: 'y', width: '10px' },
      { type: 'action', content: 'Go', href: 'https://example.com', actionId: '1', backgroundColor: '#fff', disable_tracking: false },
      { type: 'divider', color: null },
      { type: 'quote', content: 'Q', borderColor: '#fff', textStyle: 'h1' },
      { type: 'html', content: '<b>x</b>', if: 'data.x', loop: 'data.items' },
      { type: 'group', elements: [{ type: 'text', content: 'in' }] },
      { type: 'columns', elements: [{ type: 'column', width: '50%', elements: [{ type: 'text' }] }] },
      lists(ELEMENTAL_LISTS_MAX),
      { type: 'jsonnet', template: '{}' },
      { type: 'comment', anything: { goes: [1] } },
    ),
  ).not.toThrow();
  expect(() => check({ type: 'channel', channel: 'email', raw: { subject: 'x' } }, { type: 'channel', elements: [] })).not.toThrow();
  expect(() => check()).not.toThrow();
});

it.each<[string, unknown[], string]>([
  ['no node', ['text'], 'content.elements[0] must be a node'],
  ['no type', [{}], 'content.elements[0].type must be one of'],
  ['an unknown type', [{ type: 'toString' }], 'content.elements[0].type must be one of'],
  ['a channel inside', [{ type: 'group', elements: [{ type: 'channel' }] }], 'content.elements[0].elements[0] is a channel'],
  ['a channel beside others', [{ type: 'channel' }, { type: 'text' }], 'content.elements[1] stands beside'],
  ['others beside a channel', [{ type: 'text' }, { type: 'channel' }], 'content.elements[1] stands beside'],
  ['a column alone', [{ type: 'column' }], 'content.elements[0] is a column'],
  ['no column in columns', [{ type: 'columns', elements: [{ type: 'text' }] }], 'content.elements[0].elements[0] is of the type text'],
  ['an item alone', [{ type: 'list-item' }], 'content.elements[0] is a list-item'],
  ['an inline part alone', [{ type: 'string' }], 'content.elements[0] is of the type string'],
  ['a text that is a number', [{ type: 'text', content: 1 }], 'content.elements[0].content must be a text (got 1)'],
  ['an expression too long', [{ type: 'text', if: 'x'.repeat(3_000) }], 'content.elements[0].if has 3000 characters'],
  ['channels that are a text', [{ type: 'text', channels: 'email' }], 'content.elements[0].channels must be an array'],
  ['a channel that is a number', [{ type: 'text', channels: [1] }], 'content.elements[0].channels[0] must be a text'],
  ['locales that are an array', [{ type: 'text', locales: [] }], 'content.elements[0].locales must be an object'],
  [
    'an invalid name of a language',
    [{ type: 'text', locales: { 'x!': { content: 'x' } } }],
    'A key of content.elements[0].locales must be the name of a language',
  ],
  ['a locale that is a text', [{ type: 'text', locales: { de: 'x' } }], 'content.elements[0].locales.de must be an object'],
  [
    'a locale with an invalid field',
    [{ type: 'text', locales: { de: { content: 1 } } }],
    'content.elements[0].locales.de.content must be a text',
  ],
  [
    'a locale with a channel',
    [{ type: 'group', locales: { de: { elements: [{ type: 'channel' }] } } }],
    'content.elements[0].locales.de.elements[0] is a channel',
  ],
  [
    'an id twice',
    [
      { type: 'text', id: 'a' },
      { type: 'text', id: 'a' },
    ],
    'content.elements[1].id "a" is another node',
  ],
  ['a NUL', [{ type: 'text', free: { a: '\0' } }], 'content.elements[0].free.a must not contain the character NUL'],
  ['nodes too deep', [nested('group', ELEMENTAL_DEPTH_MAX + 1)], `is nested deeper than ${ELEMENTAL_DEPTH_MAX} nodes`],
  ['lists too deep', [lists(ELEMENTAL_LISTS_MAX + 1)], `is a list nested deeper than ${ELEMENTAL_LISTS_MAX} levels`],
  [
    'too many nodes',
    Array.from({ length: ELEMENTAL_NODES_MAX + 1 }, () => ({ type: 'divider' })),
    `content.elements[${ELEMENTAL_NODES_MAX}] is more than`,
  ],
  ['too many bytes', Array.from({ length: 4 }, () => ({ type: 'html', content: 'x'.repeat(300_000) })), 'bytes of JSON, at most'],
])('refuses %s, naming the path', (_, elements, sentence) => {
  expect(() => check(...elements)).toThrow(sentence);
});

it.each([null, [], 'text', { elements: {} }, {}, { elements: null }, { version: 1, elements: [] }])('refuses %j as content', (content) => {
  expect(() => assertElemental(content, 'content')).toThrow(/^content/);
});

it('reads elements only of nodes that may contain elements', () => {
  const strange = { type: 'divider', elements: [{ type: 'text' }] } as unknown as ElementalNode;

  expect(() => check({ type: 'divider', elements: 'nonsense' })).not.toThrow();
  expect(elementsWithin(strange)).toEqual([]);
});
