import type { ElementalNode } from '@tidings/contracts/content/elemental';
import { isForChannel } from './elemental/choose-channel';
import { ELEMENTS_RENDERED_MAX } from './elemental/element-visitor';
import { render, type RenderInput } from './render';

const SCOPE = {
  data: {
    name: 'Ann',
    items: ['a', 'b', 'c'],
    none: [],
    vip: true,
    count: 3,
    orders: [
      { id: 1, lines: ['x', 'y'] },
      { id: 2, lines: ['z'] },
    ],
  },
  profile: { name: 'Ann', locale: 'fr_CA' },
};

function rendered(elements: ElementalNode[], more: Partial<RenderInput> = {}) {
  return render({ content: { elements }, channel: 'sms', scope: SCOPE, ...more });
}

/** The text of an SMS: plain, without a frame. */
function textOf(elements: ElementalNode[], more: Partial<RenderInput> = {}): string | undefined {
  const output = rendered(elements, { ...more, channel: 'sms' })?.output;
  return output?.kind === 'sms' ? output.sms.text : undefined;
}

const text = (content: string, more: object = {}): ElementalNode => ({ type: 'text', content, ...more });

describe('an element', () => {
  it('is shown when its condition is true; an invalid condition is false with a warning', () => {
    expect(textOf([text('yes', { if: 'data.vip && data.count >= 3' }), text('no', { if: 'data.count > 3' })])).toBe('yes');
    const broken = rendered([text('x', { if: 'data.(' }), text('y')]);
    expect(broken?.output).toEqual({ kind: 'sms', sms: { text: 'y' } });
    expect(broken?.warnings).toEqual([expect.stringContaining('counts as false') as string]);
  });

  it('is shown for the channels and providers it names', () => {
    const elements = [text('mail', { channels: ['email'] }), text('slack', { channels: ['slack'] }), text('all', { channels: [] })];
    expect(textOf(elements)).toBe('all');
    expect(rendered(elements, { channel: 'direct_message', provider: 'slack' })?.blocks).toEqual([
      { type: 'text', text: 'slack' },
      { type: 'text', text: 'all' },
    ]);
  });

  it('is shown once per item of its loop, and its condition is evaluated in each iteration', () => {
    expect(textOf([text('{$.index}={$.item}', { loop: 'data.items', if: '$.item !== "b"' })])).toBe('0=a\n\n2=c');
    expect(textOf([text('{{$.index}}', { loop: '{{items}}' })])).toBe('0\n\n1\n\n2');
    expect(textOf([text('never', { loop: 'data.none' }), text('rest')])).toBe('rest');
  });

  it('repeats its children, also in nested loops', () => {
    const inner = text('{$.item}', { loop: '$.item.lines' });
    expect(textOf([{ type: 'group', loop: 'orders', elements: [text('#{$.item.id}'), inner] }])).toBe('#1\n\nx\n\ny\n\n#2\n\nz');
  });

  it('with a ref can be read by later elements, whether it is visible or not, and not by earlier ones', () => {
    const note = (content: string) => text(content, { ref: 'note', if: 'data.vip' });
    expect(textOf([text('[{{refs.note.content}}]'), note('For {name}'), text('"{refs.note.content}" {refs.note.visible}')])).toBe(
      '[]\n\nFor Ann\n\n"For Ann" true',
    );
    const hidden: ElementalNode[] = [text('x', { ref: 'note', if: 'false' }), text('hidden', { if: '!refs.note.visible' })];
    expect(textOf(hidden)).toBe('hidden');
    expect(textOf([text('x', { ref: '__proto__' }), text('{refs.__proto__.visible} {refs.toString}')])).toBe(
      'x\n\n{refs.__proto__.visible} {refs.toString}',
    );
  });

  it('is in the recipient’s exact locale, else in the language alone, else in its own text', () => {
    const element = text('en', { locales: { fr: { content: 'fr' }, 'FR-ca': { content: 'ca' }, de_DE: { content: 'de' } } });
    expect(['fr_CA', 'fr-FR', 'FR', 'de', 'de_DE', 'it', undefined].map((locale) => textOf([element], { locale }))).toEqual([
      'ca',
      'fr',
      'fr',
      'en',
      'de',
      'en',
      'en',
    ]);
    const list: ElementalNode = { type: 'group', elements: [text('one')], locales: { fr: { elements: [text('un'), text('deux')] } } };
    expect(textOf([list], { locale: 'fr' })).toBe('un\n\ndeux');
  });

  it.each([
    ['zh-Hans-CN', 'zh_Hans'],
    ['ca_ES.UTF-8', 'ca_ES'],
    ['ca_ES.UTF-8@valencia', 'ca_ES'],
    ['ca-es', 'ca_ES.UTF-8'],
    ['zh_Hans_CN', 'zh'],
  ])('uses for a recipient of %s the text for %s', (locale, written) => {
    const element = text('own', { locales: { en_US: { content: 'English' }, [written]: { content: 'theirs' } } });

    expect(textOf([element], { locale })).toBe('theirs');
  });

  it('does not fall back to English, but to its own text', () => {
    expect(textOf([text('own', { locales: { en_US: { content: 'English' } } })], { locale: 'zh_Hans' })).toBe('own');
  });

  it('that fails is named, and nothing is rendered', () => {
    const wrong: ElementalNode[] = [text('ok'), { type: 'group', elements: [text('{{divide 1 0}}')] }];
    expect(() => rendered(wrong)).toThrow(expect.objectContaining({ code: 'invalid_request', message: expect.stringMatching(/^elements\[1\]\.elements\[0\]: /) as string }) as Error); // prettier-ignore
  });

  it('may be repeated up to a limit', () => {
    const twice = (elements: ElementalNode[]): ElementalNode => ({ type: 'group', loop: 'data.many', elements });
    const data = { many: Array.from({ length: 300 }, () => 1) };
    expect(() => rendered([twice([twice([text('x')])])], { scope: { data } })).toThrow(
      expect.objectContaining({
        code: 'payload_too_large',
        message: expect.stringContaining(`more than ${ELEMENTS_RENDERED_MAX} elements`) as string,
      }) as Error,
    );
  });
});

describe('content', () => {
  const channels: ElementalNode[] = [
    { type: 'channel', channel: 'direct_message', elements: [text('any chat')] },
    { type: 'channel', channel: 'slack', elements: [text('slack')] },
    { type: 'channel', channel: 'sms', elements: [text('sms')] },
  ];

  it('of channel elements is the most specific one, and nothing when none matches', () => {
    const first = (channel: string, provider?: string) => rendered(channels, { channel, provider })?.blocks[0];
    expect(first('direct_message', 'slack')).toMatchObject({ text: 'slack' });
    expect(first('direct_message', 'discord')).toMatchObject({ text: 'any chat' });
    expect(rendered(channels, { channel: 'push' })).toBeUndefined();
    expect(rendered([...channels, { type: 'channel', channel: 'default', elements: [text('else')] }], { channel: 'push' })?.blocks).toEqual(
      [{ type: 'text', text: 'else' }],
    );
  });

  it('of raw is filled in and passed on, and Slack’s blocks may be JSON', () => {
    const raw = (body: Record<string, unknown>, channel = 'webhook'): ElementalNode[] => [{ type: 'channel', channel, raw: body }];
    const webhook = rendered(raw({ payload: { body: { to: '{name}', n: 1, list: ['{{count}}'] } } }), { channel: 'webhook' });
    expect(webhook?.raw).toEqual({ payload: { body: { to: 'Ann', n: 1, list: ['3'] } } });
    const slack = rendered(raw({ slackBlocks: '[{"type":"section","text":{"type":"mrkdwn","text":"Hi {name}"}}]' }, 'slack'), {
      channel: 'direct_message',
      provider: 'slack',
    });
    expect(slack?.output).toMatchObject({ directMessage: { text: 'Hi Ann', blocks: [{ type: 'section' }] } });
  });

  it('is the same each time, cached by its key or not', () => {
    const content = { title: 'Hi {name}', body: '**{name}** <b>&</b>' };
    const input: RenderInput = { content, channel: 'email', scope: SCOPE };
    const first = render(input);
    expect(render(input)).toEqual(first);
    expect(render({ ...input, content: { ...content }, contentKey: 'w/t/1' })).toEqual(first);
    expect(render({ ...input, content: { title: 'other' }, contentKey: 'w/t/1' })).toEqual(first);
  });

  it('in the simple form is a title and a text, and elements override the body', () => {
    const both = render({ content: { title: 'T', body: 'B', elements: [text('E')] }, channel: 'push', scope: {} });
    expect(both?.output).toEqual({ kind: 'push', push: { title: 'T', body: 'E', data: {} } });
  });
});

it('reports without rendering whether content is for a channel', () => {
  const channel = (name: string): ElementalNode => ({ type: 'channel', channel: name, elements: [text(name)] });
  const contents = [
    { title: 'Hello', body: 'there' },
    { elements: [text('all')] },
    { elements: [channel('sms')] },
    { elements: [channel('slack'), channel('push')] },
    { elements: [channel('email'), channel('default')] },
  ];
  const targets = [['email'], ['sms', 'http'], ['push'], ['direct_message', 'slack'], ['direct_message', 'discord']] as const;
  for (const content of contents) {
    for (const [name, provider] of targets) {
      const isSilent = render({ content, channel: name, provider, scope: SCOPE }) === undefined;
      expect([content, name, provider, isForChannel(content, name, provider)]).toEqual([content, name, provider, !isSilent]);
    }
  }
});
