import type { ElementalNode } from '@tidings/contracts/content/elemental';
import type { Content } from '../elemental/compile';
import { checkSentContent } from './template-check';

const check = (content: Content): string[] => checkSentContent(content, 'message.content');
const contentOf = (...elements: unknown[]): Content => ({ elements: elements as ElementalNode[] });
const refusal = (message: string): Error =>
  expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining(message) as string }) as Error;
const BROKEN = 'Hello\n{{#if data.x}}';

describe('content is refused whose {{…}} do not parse', () => {
  it.each<[string, Content, string]>([
    ['in the title', { title: 'Hi {{name', body: 'x' }, 'message.content.title: Template line 1: '],
    ['in the body, beside code', { title: 'x', body: 'Write `{{` and {{name' }, 'message.content.body: '],
    ['in the body', { title: 'x', body: BROKEN }, 'message.content.body: Template line 2: '],
    [
      'in an element',
      contentOf({ type: 'divider' }, { type: 'text', content: BROKEN }),
      'message.content.elements[1].content: Template line 2: ',
    ],
    ['in HTML', contentOf({ type: 'html', content: '{{/if}}' }), 'message.content.elements[0].content: '],
    ['in an address', contentOf({ type: 'action', content: 'Go', href: '{{data.url' }), 'message.content.elements[0].href: '],
    [
      'in a language',
      contentOf({ type: 'text', content: 'x', locales: { 'fr-FR': { content: '{{' } } }),
      'message.content.elements[0].locales.fr-FR.content: ',
    ],
    [
      'further within',
      contentOf({ type: 'group', elements: [{ type: 'list', elements: [{ type: 'list-item', content: '{{else}}' }] }] }),
      'message.content.elements[0].elements[0].elements[0].content: ',
    ],
    [
      'in what a channel is given as it stands',
      contentOf({ type: 'channel', channel: 'slack', raw: { blocks: [{ text: '{{#each}' }] } }),
      'message.content.elements[0].raw.blocks[0].text: ',
    ],
    ['for an unknown helper', { title: '{{shout name}}', body: 'x' }, 'message.content.title: Template line 1: there is no helper'],
    ['in Markdown that drops a cell', { title: 'x', body: '|a|\n|-|\n|{{#if x}}|{{/if}}|' }, 'message.content.body: '],
    ['behind many others', { title: 'x', body: `${'{{name}} '.repeat(450)}{{#if x}}` }, 'message.content.body: '],
    [
      'before many others',
      contentOf({ type: 'html', content: `{{#if x}}${'<td>{{a}}</td>'.repeat(500)}` }),
      'message.content.elements[0].content: ',
    ],
    [
      'beside a text that is too long to be checked',
      contentOf({ type: 'text', content: '{{a}} '.repeat(2_000) }, { type: 'text', content: '{{b' }),
      'message.content.elements[1].content: ',
    ],
    ['beside a title', { title: '{{', body: 'x', ...contentOf({ type: 'text', content: 'x' }) }, 'message.content.title: '],
  ])('%s', (_, content, message) => {
    expect(() => check(content)).toThrow(refusal(message));
  });
});

describe('elements of a send', () => {
  it.each<[string, unknown, string]>([
    ['an action without href', { type: 'action', content: 'Go' }, ' is an action without href'],
    ['a text without content', { type: 'text' }, ' is a text without content or elements'],
    [
      'a value without effect',
      { type: 'text', content: 'x', align: 'middle' },
      '.align is none of left, center, right, full, and has no effect (got "middle")',
    ],
  ])('are warned about: %s', (_, element, warning) => {
    expect(check(contentOf(element))).toEqual([`message.content.elements[0]${warning}`]);
  });

  it('are warned about twenty times at most', () => {
    expect(check(contentOf(...Array.from({ length: 30 }, () => ({ type: 'divider', colour: 'red' }))))).toHaveLength(20);
  });
});

describe('content passes', () => {
  it.each<[string, Content]>([
    ['with variables and helpers', { title: '{name}, {{name}} {{capitalize data.x}}', body: '{{#if x}}a{{else}}b{{/if}} {{> footer}}' }],
    ['with braces that are text', { title: '{ {name {0} }', body: 'if (x) { y } {"a": {"b": 1}} {{{name}}} \\{{x' }],
    [
      'with braces in code of Markdown',
      { title: 'x', body: '{{#if x}}\n\nWrite `{{#if x` and `{{y}}` and\n\n```\n{{\n```\n\n    {{\n\n{{/if}}' },
    ],
    ['with a body that elements override', { title: 'x', body: BROKEN, ...contentOf({ type: 'text', content: 'x' }) }],
    ['with a comment', contentOf({ type: 'comment', content: BROKEN })],
    ['with invalid conditions', contentOf({ type: 'text', content: 'x', if: 'data.(', loop: '{{' })],
    ['with MJML', contentOf({ type: 'channel', channel: 'email', raw: { html: '<mj-text>{{</mj-text>', transformers: ['mjml'] } })],
    ['without any text', contentOf({ type: 'divider' }, { type: 'text' }, { type: 'action', content: null })],
  ])('%s', (_, content) => {
    expect(() => check(content)).not.toThrow();
  });

  it('when it exceeds the budget of the check without an error before', () => {
    const long = '{{name}} '.repeat(2_000);
    expect(() => check({ title: 'x', body: `${long}{{` })).not.toThrow();
    expect(() => check(contentOf({ type: 'text', content: '{{' }, { type: 'text', content: long }))).toThrow(
      refusal('elements[0].content'),
    );
  });
});
