import { render } from './render';

const HIDDEN = { type: 'text', content: 'never', if: 'data.there === true' } as const;
const INVISIBLE = { type: 'text', content: '\u200b\u200c\u200d \u2060\ufeff\u00ad' } as const;
const IMAGE = { type: 'image', src: 'https://example.com/a.png' } as const;

const isBlank = (channel: string, elements: readonly object[], data = {}): boolean =>
  render({ content: { elements: elements as never }, channel, scope: { data, profile: {} } })?.isBlank === true;

describe('content that shows nothing', () => {
  it.each<[string, string, readonly object[]]>([
    ['conditions left nothing', 'email', [HIDDEN]],
    ['conditions left nothing', 'sms', [HIDDEN]],
    ['conditions left nothing', 'push', [HIDDEN]],
    ['conditions left nothing', 'direct_message', [HIDDEN, { type: 'columns', elements: [{ type: 'column', elements: [HIDDEN] }] }]],
    ['its texts are empty', 'inbox', [{ type: 'text', content: ' ' }, { type: 'quote', content: '' }, { type: 'divider' }]],
    [
      'its variables have no value',
      'email',
      [
        { type: 'meta', title: '{{missing}}' },
        { type: 'text', content: '**{{missing}}**' },
      ],
    ],
    ['its characters are invisible', 'sms', [INVISIBLE]],
    ['its characters are invisible', 'email', [{ type: 'meta', title: '\u200b' }, INVISIBLE]],
    ['its characters are invisible', 'push', [INVISIBLE]],
    ['conditions left nothing', 'webhook', [HIDDEN, { type: 'text', content: ' ' }]],
    ['a text message has no title', 'sms', [{ type: 'meta', title: 'Title' }]],
    ['a text message has no pictures', 'sms', [IMAGE]],
  ])('is blank: %s (%s)', (_why, channel, elements) => {
    expect(isBlank(channel, elements)).toBe(true);
  });

  it.each<[string, string, readonly object[], object]>([
    ['a title alone is visible', 'email', [{ type: 'meta', title: 'Title' }], {}],
    ['characters that are joined are visible', 'sms', [{ type: 'text', content: '\u200d👩\u200d🚀' }], {}],
    ['a picture is visible', 'email', [IMAGE], {}],
    ['a picture of Markdown is visible', 'email', [{ type: 'text', content: '![](https://example.com/a.png)' }], {}],
    ['a button is visible', 'direct_message', [{ type: 'action', content: 'Go', href: 'https://example.com' }], {}],
    ['data of a push message are read by the app', 'push', [HIDDEN], { order: 1 }],
    ['a title alone is visible', 'webhook', [{ type: 'meta', title: 'Title' }], {}],
    ['raw content is never blank', 'sms', [{ type: 'channel', channel: 'sms', raw: { text: '' } }], {}],
  ])('is not blank: %s (%s)', (_why, channel, elements, data) => {
    expect(isBlank(channel, elements, data)).toBe(false);
  });
});
