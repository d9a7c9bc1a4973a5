import { validate } from '../core/validator';
import { acceptBulkMessage, acceptBulkUser, bulkUserId } from './accept-bulk';
import { acceptance, acceptBody, refusalOf } from './accepting.fixture';
import { withRecipients } from './accept-message';
import type { NamePaths } from './channel-names';
import { CreateBulkJob } from './bulk';
import type { MessageRequested } from './events';

const CONTENT = { title: 'Hello {name}', body: 'There' };
const PREFERENCES = { notifications: { welcome: { status: 'OPTED_IN' } } };

const acceptMessage = (message: unknown): MessageRequested => acceptBulkMessage(validate(CreateBulkJob, { message }).message, acceptance);
const acceptOne = (message: unknown, user: object): MessageRequested => withRecipients(acceptMessage(message), acceptBulkUser(user));

describe('the message of a job', () => {
  it.each<[string, object, object]>([
    ['an event', { event: 'welcome' }, { template: 'welcome' }],
    ['a template', { template: 'welcome' }, { template: 'welcome' }],
    ['a template beside an event', { event: 'signup', template: 'welcome' }, { template: 'welcome' }],
    ['content', { content: CONTENT }, { content: CONTENT }],
    ['content listed under its event', { event: 'signup', content: CONTENT }, { content: CONTENT, metadata: { event: 'signup' } }],
    ['a nested message', { message: { content: CONTENT } }, { content: CONTENT }],
    [
      'a nested message beside an event',
      { event: 'signup', message: { content: CONTENT } },
      { content: CONTENT, metadata: { event: 'signup' } },
    ],
    [
      'a nested message without content',
      { event: 'welcome', message: { delay: { duration: 5_000 } } },
      { template: 'welcome', delay: { duration: 5_000 } },
    ],
    ['a nested message before what stands beside it', { template: 'a', message: { template: 'b' } }, { template: 'b' }],
    ['a nested content before a template beside it', { template: 'a', message: { content: CONTENT } }, { content: CONTENT }],
    ['an older brand', { event: 'welcome', brand: 'b' }, { template: 'welcome', brand_id: 'b' }],
    [
      'data of both',
      { event: 'e', data: { a: 1, b: { c: 1 } }, message: { data: { b: { d: 2 } } } },
      { template: 'e', data: { a: 1, b: { c: 1, d: 2 } } },
    ],
    [
      'metadata of both',
      { event: 'e', metadata: { tags: ['a'] }, message: { metadata: { trace_id: 't' } } },
      { template: 'e', metadata: { tags: ['a'], trace_id: 't' } },
    ],
    [
      'an override of a provider',
      { event: 'e', override: { sendgrid: { body: {} } } },
      { template: 'e', providers: { sendgrid: { override: { body: {} } } } },
    ],
    [
      'settings in every accepted form',
      {
        event: 'e',
        override: { sendgrid: { a: 1 }, channel: { email: { from: 'a@b' } } },
        providers: { sendgrid: { override: { b: 2 } } },
        message: { channels: { email: { override: { from: 'c@d' } } } },
      },
      {
        template: 'e',
        providers: { sendgrid: { override: { a: 1, b: 2 } } },
        channels: { email: { override: { from: 'c@d' } } },
      },
    ],
    [
      'the rest of a send',
      {
        event: 'e',
        routing: { method: 'all', channels: ['email'] },
        context: { tenant_id: 't' },
        preferences: { subscription_topic_id: 'p' },
      },
      {
        template: 'e',
        routing: { method: 'all', channels: ['email'] },
        context: { tenant_id: 't' },
        preferences: { subscription_topic_id: 'p' },
      },
    ],
    ['a routing with a method alone', { event: 'e', routing: { method: 'single' } }, { template: 'e', routing: { method: 'single' } }],
    [
      'nulls',
      { event: 'e', template: null, content: null, brand: null, data: null, locale: null, override: null, message: null, metadata: null },
      { template: 'e' },
    ],
  ])('equals that of a send: %s', (_form, message, sent) => {
    const asSent = acceptBody({ message: { ...sent, to: { user_id: 'ada' } } });

    expect(acceptOne(message, { recipient: 'ada' })).toEqual(asSent);
  });

  it('warns of unknown fields at any level', () => {
    const message = { event: 'e', tags: ['x'], timeout: { mesage: 1 }, message: { contnt: CONTENT, channels: { sms: { overide: {} } } } };

    expect(acceptMessage(message).warnings).toEqual([
      'message.tags is not a known field: it was ignored',
      'message.timeout.mesage is not a known field: it was ignored',
      'message.message.contnt is not a known field: it was ignored',
      'message.message.channels.sms.overide is not a known field: it was ignored',
    ]);
  });

  it.each<[string, unknown, string]>([
    ['no content', {}, 'message needs event, template, content'],
    ['no content in a nested message', { message: {} }, 'message needs event, template, content'],
    ['template and content', { template: 'a', content: CONTENT }, 'message has both template and content'],
    ['an event that is a number', { event: 7 }, 'message.event must be a string'],
    ['a wrong delay', { event: 'e', delay: { duration: -1 } }, 'message.delay'],
    ['a wrong nested routing', { message: { template: 'a', routing: { method: 'some', channels: [] } } }, 'message.message.routing'],
    [
      'a wrong routing beside a nested message',
      { routing: { method: 'some' }, message: { template: 'a' } },
      'message.routing.method must be one of',
    ],
    ['nested content without a title', { event: 'e', message: { content: { body: 'x' } } }, 'message.message.content.title is required'],
    ['a wrong override', { event: 'e', override: { sendgrid: 7 } }, 'message.override.sendgrid must be an object'],
    ['a wrong override of a channel', { event: 'e', override: { channel: { sms: 7 } } }, 'message.override.channel.sms must be an object'],
    ['a message that is a text', 'welcome', 'message must be an object'],
  ])('is refused with %s', (_what, message, sentence) => {
    expect(refusalOf(() => acceptMessage(message))).toContain(sentence);
  });

  it.each<[string, object, string]>([
    ['override', { override: { channel: { emial: { subject: 'x' } } } }, 'message.override.channel.emial'],
    ['the message', { channels: { emial: {} }, message: { channels: { email: {} } } }, 'message.channels.emial'],
    ['the nested message', { channels: { email: {} }, message: { channels: { emial: {} } } }, 'message.message.channels.emial'],
    [
      'all three',
      { override: { channel: { emial: {} } }, channels: { emial: {} }, message: { channels: { emial: {} } } },
      'message.message.channels.emial',
    ],
  ])('names an unknown channel where it was written: in %s', (_where, fields, path) => {
    const onOwnNames = jest.fn<void, [NamePaths]>();
    const { message } = validate(CreateBulkJob, { message: { event: 'e', ...fields } });
    acceptBulkMessage(message, { ...acceptance, onOwnNames });

    expect([...onOwnNames.mock.calls[0]![0]]).toEqual([['emial', path]]);
  });

  it.each<[object, string]>([
    [
      { override: { sendgrid: { a: 1 } }, providers: { smtp: { override: 7 } }, message: { providers: { ses: {} } } },
      'message.providers.smtp.override',
    ],
    [{ channels: { sms: { if: 7 } }, message: { channels: { email: {} } } }, 'message.channels.sms.if'],
  ])('names an invalid setting where it was written: %j', (fields, path) => {
    expect(refusalOf(() => acceptMessage({ event: 'e', ...fields })).startsWith(`${path} `)).toBe(true);
  });
});

describe('a user of a job', () => {
  it.each<[string, object, object]>([
    ['an id', { recipient: 'ada' }, { user_id: 'ada' }],
    ['an id in to', { to: { user_id: 'ada' } }, { user_id: 'ada' }],
    ['the same id twice', { recipient: 'ada', to: { user_id: 'ada' } }, { user_id: 'ada' }],
    ['an address in the profile', { profile: { email: 'ada@example.com' } }, { email: 'ada@example.com' }],
    ['an address in to', { to: { email: 'ada@example.com' } }, { email: 'ada@example.com' }],
    [
      'an id with an address',
      { recipient: 'ada', profile: { email: 'ada@example.com', name: 'Ada' } },
      { user_id: 'ada', email: 'ada@example.com', name: 'Ada' },
    ],
    [
      'a profile before to',
      { to: { user_id: 'ada', email: 'old@example.com', locale: 'de' }, profile: { email: 'ada@example.com' } },
      { user_id: 'ada', email: 'ada@example.com', locale: 'de' },
    ],
    [
      'data before that of to',
      { recipient: 'ada', data: { a: 1 }, to: { data: { a: 0, b: 2 } } },
      { user_id: 'ada', data: { a: 1, b: 2 } },
    ],
    ['preferences', { recipient: 'ada', preferences: PREFERENCES }, { user_id: 'ada', preferences: PREFERENCES }],
    ['a tenant', { recipient: 'ada', to: { tenant_id: 't' } }, { user_id: 'ada', tenant_id: 't' }],
    [
      'a context before a tenant',
      { to: { user_id: 'ada', tenant_id: 't', context: { tenant_id: 'u' } } },
      { user_id: 'ada', tenant_id: 't', context: { tenant_id: 'u' } },
    ],
    ['nulls', { recipient: 'ada', profile: null, data: null, preferences: null, to: null }, { user_id: 'ada' }],
  ])('equals the recipient of a send, with %s', (_what, user, to) => {
    const data = { a: 'of the job', deep: { x: 1 } };

    expect(acceptOne({ event: 'welcome', data }, user)).toEqual(acceptBody({ message: { template: 'welcome', data, to } }));
  });

  it('has its data merged over that of the job', () => {
    const job = { event: 'welcome', data: { who: 'all', deep: { x: 1, y: 1 } } };

    expect(acceptOne(job, { recipient: 'ada', data: { who: 'ada', deep: { y: 2 } } }).data).toEqual({ who: 'ada', deep: { x: 1, y: 2 } });
  });

  it('leaves profile fields that are named like those of a recipient', () => {
    expect(acceptBulkUser({ recipient: 'ada', profile: { list_id: 'x', data: 'y', tenant_id: 'z' } })).toEqual({
      kind: 'user',
      userId: 'ada',
      recipient: 'ada',
      profile: { list_id: 'x', data: 'y', tenant_id: 'z' },
    });
  });

  it.each<[string, object, string]>([
    ['no recipient', {}, 'needs recipient, to.user_id, or an address'],
    ['an empty id', { recipient: '' }, 'recipient'],
    ['an id that is a number', { recipient: 7 }, 'recipient must be a string'],
    ['two ids', { recipient: 'ada', to: { user_id: 'bo' } }, 'recipient ada and to.user_id bo are two users'],
    ['a list', { to: { list_id: 'team' } }, 'to.list_id is for sends to several'],
    ['an audience beside an id', { recipient: 'ada', to: { audience_id: 'a' } }, 'to.audience_id is for sends to several'],
    ['an address that is a number', { profile: { email: 7 } }, 'profile.email must be an e-mail address (got 7)'],
    ['an invalid e-mail address', { profile: { email: 'ada' } }, 'profile.email must be an e-mail address (got "ada")'],
    ['an invalid e-mail address in to', { to: { email: 'ada' } }, 'to.email must be an e-mail address (got "ada")'],
    ['an address without its other half', { profile: { ms_teams: { user_id: 'x' } } }, 'profile.ms_teams needs'],
    ['data that is a text', { recipient: 'ada', data: 'x' }, 'data must be an object'],
    ['wrong preferences', { recipient: 'ada', preferences: { categories: { news: { status: 'MAYBE' } } } }, 'preferences.categories.news'],
    ['too many bytes', { recipient: 'ada', data: { text: 'x'.repeat(300_000) } }, 'at most 262144 are allowed'],
  ])('is refused with %s', (_what, user, sentence) => {
    expect(refusalOf(() => acceptBulkUser(user))).toContain(sentence);
  });

  it.each([
    [{ recipient: 'ada', data: 7 }, 'ada'],
    [{ to: { user_id: 'ada', list_id: 'x' } }, 'ada'],
    [{ recipient: 7 }, undefined],
    [{ to: 'ada' }, undefined],
    [{ recipient: 'x'.repeat(2_000) }, undefined],
  ])('is named by its id, if valid, when it is refused: %j', (user, name) => {
    expect(bulkUserId(user)).toBe(name);
  });
});
