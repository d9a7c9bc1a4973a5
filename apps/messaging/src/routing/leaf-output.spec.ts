import type { LoadedTemplate } from '@tidings/contracts/content/sending-templates';
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
  leafOutput(rendered, { channel, provider }, email === undefined ? undefined : ({ email } as LoadedTemplate)).stored;

describe('what a leaf is sent with', () => {
  it('is what was rendered where nobody says otherwise', () => {
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
  ])('says of an e-mail what the override of %s says', (_whose, channel, provider, expected) => {
    expect(outputOf(EMAIL, channel, provider).output).toMatchObject(expected);
  });

  it.each<[string, LoadedTemplate['email'], JsonObject, JsonObject, string | undefined]>([
    ['nobody: the provider has its own', null, {}, {}, undefined],
    ['the template', { from: 'template@example.com' }, {}, {}, 'template@example.com'],
    ['the channel', { from: 'template@example.com' }, { from: 'channel@example.com' }, {}, 'channel@example.com'],
    [
      'the provider',
      { from: 'template@example.com' },
      { from: 'channel@example.com' },
      { from: 'provider@example.com' },
      'provider@example.com',
    ],
  ])('comes from whom %s says', (_whose, email, channel, provider, from) => {
    expect(outputOf(EMAIL, channel, provider, email).output?.from).toBe(from);
  });

  it('takes addresses one by one and several in one text', () => {
    const stored = outputOf(EMAIL, { cc: ['a@example.com', 'b@example.com; c@example.com'], reply_to: '' });
    expect(stored.output).toMatchObject({ cc: ['a@example.com', 'b@example.com', 'c@example.com'] });
    expect(stored.output).not.toHaveProperty('reply_to');
  });

  it.each([[['a@example.com', 7]], ['c@example.com\r\nSubject: injected'], ['a@example.com b@example.com']])(
    'refuses %j as addresses',
    (bcc) => {
      expect(() => outputOf(EMAIL, { bcc })).toThrow('bcc must hold e-mail addresses');
    },
  );

  it('says of a push what the overrides say, the provider’s over the channel’s', () => {
    const stored = outputOf(PUSH, { title: 'Channel', body: 'Channel' }, { title: 'Provider' });
    expect(stored.rendered).toMatchObject({ kind: 'push', push: { title: 'Provider', body: 'Channel' } });
    expect(stored).not.toHaveProperty('override');
  });

  it('passes on what the overrides say of the call, deeply merged, and nothing of the content', () => {
    const channel = { subject: 'x', body: { a: 1, deep: { kept: true, changed: 1, gone: 1 } } };
    const provider = {
      body: { deep: { changed: 2, gone: null } },
      config: { url: 'https://example.com' },
      attachments: [{ filename: 'x' }],
    };
    expect(outputOf(EMAIL, channel, provider).override).toEqual({
      body: { a: 1, deep: { kept: true, changed: 2, gone: null } },
      config: { url: 'https://example.com' },
    });
  });

  it('has the raw of its content under the overrides', () => {
    const rendered = { ...WEBHOOK, raw: { payload: 'raw', both: 'raw' } } as unknown as Rendered;
    expect(outputOf(rendered, {}, { body: { both: 'override' } }).override).toEqual({ body: { payload: 'raw', both: 'override' } });
  });
});
