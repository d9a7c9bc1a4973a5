import type { ElementalNode } from '@tidings/contracts/content/elemental';
import type { Content } from '../elemental/compile';
import { INLINE_READING_MAX } from '../render-budget';
import { assertTemplatesParse } from './template-check';

const check = (content: Content): void => assertTemplatesParse(content, 'message.content');
const said = (...elements: unknown[]): Content => ({ elements: elements as ElementalNode[] });
const refusal = (message: string): Error =>
  expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining(message) as string }) as Error;
const BROKEN = 'Hello\n{{#if data.x}}';

describe('content is refused whose {{…}} cannot be read', () => {
  it.each<[string, Content, string]>([
    ['in the title', { title: 'Hi {{name', body: 'x' }, 'message.content.title: Template line 1: '],
    ['in the body, beside code', { title: 'x', body: 'Write `{{` and {{name' }, 'message.content.body: '],
    ['in the body', { title: 'x', body: BROKEN }, 'message.content.body: Template line 2: '],
    [
      'in an element',
      said({ type: 'divider' }, { type: 'text', content: BROKEN }),
      'message.content.elements[1].content: Template line 2: ',
    ],
    ['in HTML', said({ type: 'html', content: '{{/if}}' }), 'message.content.elements[0].content: '],
    ['in an address', said({ type: 'action', content: 'Go', href: '{{data.url' }), 'message.content.elements[0].href: '],
    [
      'in a language',
      said({ type: 'text', content: 'x', locales: { 'fr-FR': { content: '{{' } } }),
      'message.content.elements[0].locales.fr-FR.content: ',
    ],
    [
      'further within',
      said({ type: 'group', elements: [{ type: 'list', elements: [{ type: 'list-item', content: '{{else}}' }] }] }),
      'message.content.elements[0].elements[0].elements[0].content: ',
    ],
    [
      'in what a channel is given as it stands',
      said({ type: 'channel', channel: 'slack', raw: { blocks: [{ text: '{{#each}' }] } }),
      'message.content.elements[0].raw.blocks[0].text: ',
    ],
    ['for a helper that is none', { title: '{{shout name}}', body: 'x' }, 'message.content.title: Template line 1: there is no helper'],
    ['in Markdown that leaves a cell out', { title: 'x', body: '|a|\n|-|\n|{{#if x}}|{{/if}}|' }, 'message.content.body: '],
    ['beside a title', { title: '{{', body: 'x', ...said({ type: 'text', content: 'x' }) }, 'message.content.title: '],
  ])('%s', (_, content, message) => {
    expect(() => check(content)).toThrow(refusal(message));
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
    ['with a body that elements stand for', { title: 'x', body: BROKEN, ...said({ type: 'text', content: 'x' }) }],
    ['with a comment', said({ type: 'comment', content: BROKEN })],
    ['with conditions that cannot be read', said({ type: 'text', content: 'x', if: 'data.(', loop: '{{' })],
    ['with MJML', said({ type: 'channel', channel: 'email', raw: { html: '<mj-text>{{</mj-text>', transformers: ['mjml'] } })],
    ['without any text', said({ type: 'divider' }, { type: 'text' }, { type: 'action', content: null })],
  ])('%s', (_, content) => {
    expect(() => check(content)).not.toThrow();
  });

  it('where it is too much to be read at once, as far as that was not wrong', () => {
    const long = '{{name}} '.repeat(INLINE_READING_MAX / 100);
    expect(() => check({ title: 'x', body: `${long}{{` })).not.toThrow();
    expect(() => check(said({ type: 'text', content: '{{' }, { type: 'text', content: long }))).toThrow(refusal('elements[0].content'));
  });
});
