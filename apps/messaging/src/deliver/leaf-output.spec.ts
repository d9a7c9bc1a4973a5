import type { LoadedTemplate } from '@tidings/contracts/content/sending';
import type { JsonObject } from '@tidings/contracts/core/deep-merge';
import type { Rendered } from '@tidings/rendering/render';
import { leafOutput } from './leaf-output';

const EMAIL = {
  output: { kind: 'email', email: { subject: 'Rendered', html: '<p>Rendered</p>', text: 'Rendered' } },
  blocks: [],
} as unknown as Rendered;
const PUSH = { output: { kind: 'push', push: { title: 'Rendered', body: 'Rendered' } }, blocks: [] } as unknown as Rendered;
const WEBHOOK = { output: { kind: 'webhook', payload: {} }, blocks: [] } as unknown as Rendered;

const outputOf = (rendered: Rendered, channel: JsonObject = {}, provider: JsonObject = {}, email?: LoadedTemplate['email']) =>
  leafOutput(rendered, [channel, provider], email === undefined ? undefined : ({ email } as LoadedTemplate)).stored;

describe('leafOutput', () => {
  it('equals the rendering without overrides', () => {
    expect(outputOf(EMAIL)).toEqual({ output: { subject: 'Rendered', html: '<p>Rendered</p>', text: 'Rendered' } });
  });

  it.each<[string, JsonObject, JsonObject, object]>([
    ['the channel', { subject: 'Channel' }, {}, { subject: 'Channel', text: 'Rendered' }],
    ['the provider', {}, { subject: 'Provider' }, { subject: 'Provider' }],
    [
      'the provider over the channel',
      { subject: 'Channel', text: 'Channel' },
      { subject: 'Provider' },
      { subject: 'Provider', text: 'Channel' },
    ],
  ])('changes an e-mail by the override of %s', (_source, channel, provider, expected) => {
    expect(outputOf(EMAIL, channel, provider).output).toMatchObject(expected);
  });

  it.each<[string, LoadedTemplate['email'], JsonObject, JsonObject, string | undefined]>([
    ['no level: the provider has its own', null, {}, {}, undefined],
    ['the template', { from: 'template@example.com' }, {}, {}, 'template@example.com'],
    ['the channel', { from: 'template@example.com' }, { from: 'channel@example.com' }, {}, 'channel@example.com'],
    [
      'the provider',
      { from: 'template@example.com' },
      { from: 'channel@example.com' },
      { from: 'provider@example.com' },
      'provider@example.com',
    ],
  ])('has the sender address of %s', (_source, email, channel, provider, from) => {
    expect(outputOf(EMAIL, channel, provider, email).output?.from).toBe(from);
  });

  it('accepts single addresses and several in one text', () => {
    const stored = outputOf(EMAIL, { cc: ['a@example.com', 'b@example.com; c@example.com'], reply_to: '' });
    expect(stored.output).toMatchObject({ cc: ['a@example.com', 'b@example.com', 'c@example.com'] });
    expect(stored.output!.reply_to).toBeUndefined();
  });

  it.each([[['a@example.com', 7]], ['c@example.com\r\nSubject: injected'], ['a@example.com b@example.com']])(
    'refuses %j as addresses',
    (bcc) => {
      expect(() => outputOf(EMAIL, { bcc })).toThrow('bcc must hold e-mail addresses');
    },
  );

  it('changes a push by the overrides, the provider’s over the channel’s', () => {
    const stored = outputOf(PUSH, { title: 'Channel', body: 'Channel' }, { title: 'Provider' });
    expect(stored.rendered).toMatchObject({ kind: 'push', push: { title: 'Provider', body: 'Channel' } });
    expect(stored.override).toBeUndefined();
  });

  it('passes on the call fields of the overrides, deeply merged, without the content fields', () => {
    const channel = { subject: 'x', body: { a: 1, deep: { unchanged: true, changed: 1, removed: 1 } } };
    const provider = {
      body: { deep: { changed: 2, removed: null } },
      config: { url: 'https://example.com' },
      attachments: [{ filename: 'x' }],
    };
    expect(outputOf(EMAIL, channel, provider).override).toEqual({
      body: { a: 1, deep: { unchanged: true, changed: 2, removed: null } },
      config: { url: 'https://example.com' },
    });
  });

  it('merges the overrides over the raw of the content', () => {
    const rendered = { ...WEBHOOK, raw: { payload: 'raw', both: 'raw' } } as unknown as Rendered;
    expect(outputOf(rendered, {}, { body: { both: 'override' } }).override).toEqual({ body: { payload: 'raw', both: 'override' } });
  });
});
