import type { ElementalNode } from '@tidings/contracts/content/elemental';
import { render, type RenderInput } from './render';

const input = (elements: readonly object[], more: Partial<RenderInput> = {}): RenderInput => ({
  content: { elements: elements as ElementalNode[] },
  channel: 'email',
  scope: { data: { name: 'Ada', items: [{ sku: 'a' }, {}], none: null }, profile: { city: 'Bonn' } },
  ...more,
});
const warningsOf = (elements: readonly object[], more: Partial<RenderInput> = {}): readonly string[] =>
  render(input(elements, more))!.warnings;
const text = (content: string, more: object = {}): object => ({ type: 'text', content, ...more });
const META = { type: 'meta', title: 'For {order}' };

describe('a variable without a value', () => {
  it.each([
    ['with one brace', '{order} of {profile.phone}', ['order', 'profile.phone']],
    ['with two braces', '{{order}} {{data.order}} {{{profile.phone}}}', ['order', 'data.order', 'profile.phone']],
    ['in an address', '[See]({{url}})', ['url']],
    ['named several times', '{order} {{order}} {order}', ['order']],
    ['of some items of a loop', '{{#each items}}{{sku}}, {{this.size}} {{/each}}', ['this.size', 'sku']],
    ['in a branch that is taken', '{{#if name}}{{order}}{{else}}{{other}}{{/if}}', ['order']],
    ['that a text helper shows', '{{capitalize order}} {{truncate (trim other) 5}} {{concat name third}}', ['order', 'other', 'third']],
    ['that a helper names', '{{var "order"}} {{path "other"}}', ['order', 'other']],
    ['in a translated text', '{{t "Dear {order}, %s" other}}', ['other', 'order']],
  ])('is a warning %s', (_, content, paths) => {
    expect(warningsOf([text(content)])).toEqual(paths.map((path) => `Variable not found: ${path}`));
  });

  it.each([
    ['has a default', '{{default order "none"}} {{default (capitalize order) "none"}}'],
    ['is in a condition alone', '{{#if order}}{{order}}{{/if}}{{#unless order}}x{{/unless}}{{#if (condition order "==" 1)}}x{{/if}}'],
    ['is looped over alone', '{{#each orders}}{{id}}{{/each}}{{#with order}}{{id}}{{/with}}{{#order}}{{id}}{{/order}}'],
    ['is in a branch that is not taken', '{{#if name}}x{{else}}{{order}}{{/if}}'],
    ['is given, and empty', '{{none}}{none}'],
    ['is text', '\\{order}'],
  ])('is none where it %s', (_, content) => {
    expect(warningsOf([text(content)])).toEqual([]);
  });

  it('is none in an element that is not shown', () => {
    expect(warningsOf([text('Hello'), text('{order}', { if: 'data.order' }), text('{order}', { channels: ['sms'] })])).toEqual([]);
  });

  it('is a warning in a title on the channels that show it', () => {
    const onChannel = (channel: string, elements = [META, text('Hello')]) => warningsOf(elements, { channel });
    const warning = ['Variable not found: order'];
    expect([onChannel('email'), onChannel('push'), onChannel('webhook')]).toEqual([warning, warning, warning]);
    expect([onChannel('sms'), onChannel('direct_message')]).toEqual([[], []]);
    expect(onChannel('direct_message', [META])).toEqual(warning);
    expect(onChannel('sms', [META, text('{order}')])).toEqual(warning);
  });

  it('is a warning in raw content and in the brand', () => {
    const raw = { type: 'channel', channel: 'slack', raw: { text: 'Hello {order}' } };
    expect(warningsOf([raw], { channel: 'direct_message', provider: 'slack' })).toEqual(['Variable not found: order']);
    const brand = { id: 'b', settings: { email: { footer: { markdown: 'For {profile.company}' } } } };
    expect(warningsOf([text('Hello')], { brand })).toEqual(['Variable not found: profile.company']);
  });

  it('is named among ten at most, by two hundred characters at most', () => {
    const many = Array.from({ length: 30 }, (_, n) => `{v${n}}`).join(' ');
    expect(warningsOf([text(many)])).toHaveLength(10);
    const long = 'a'.repeat(90);
    expect(warningsOf([text(`{${long}.${long}.${long}}`)])).toEqual([`Variable not found: ${`${long}.${long}.${long}`.slice(0, 200)}…`]);
  });

  it('is an error where variables are required, and the others are not', () => {
    const required = { requiresVariables: true };
    expect(() => render(input([text('Hello {name}'), text('{order}, {other}')], required))).toThrow(/^Variable not found: order$/);
    expect(warningsOf([text('Hello {name} {{default order "none"}}')], required)).toEqual([]);
    expect(warningsOf([META, text('Hello')], { ...required, channel: 'sms' })).toEqual([]);
  });
});
