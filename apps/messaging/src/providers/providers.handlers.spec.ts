import { randomBytes, randomUUID } from 'node:crypto';
import type { CallContext } from '@tidings/contracts/core/context';
import { type Provider, providers, PROVIDERS_MAX } from '@tidings/contracts/messaging/providers';
import { contextOf } from '@tidings/testing/context-of';
import { expectIndexed } from '@tidings/testing/explain';
import { runsOf } from '@tidings/testing/runs-of';
import type { TestService } from '@tidings/testing/service';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';
import { ProvidersUnderTest, SECRET, SMS_SETTINGS } from '../testing/start-providers';
let messaging: ProvidersUnderTest;
const call: TestService['call'] = (...parameters) => messaging.service.call(...parameters);
let context: CallContext;

beforeAll(async () => {
  messaging = await ProvidersUnderTest.start({ secretKeys: [randomBytes(32)] });
});
afterAll(() => messaging.service.stop());
beforeEach(() => {
  context = contextOf(randomUUID());
});

const configure = (fields?: Partial<Provider>) => messaging.configure(context, fields);
const retrieve = (id: string) => call(providers.retrieve, context, { id });
const shown = { channel: 'sms', url: SMS_SETTINGS.url };

it('returns a configuration as it was created, without its secrets', async () => {
  const settings = { ...SMS_SETTINGS, rate_limit: { rate: 10, period: 'second' } };

  const created = await configure({ alias: 'gateway', title: 'Gateway', settings, order: -1 });

  expect(created).toEqual({
    id: expect.stringMatching(/^prv_[\w-]{20}$/) as string,
    provider: 'http',
    alias: 'gateway',
    title: 'Gateway',
    settings: { ...shown, rate_limit: { rate: 10, period: 'second' } },
    order: -1,
    enabled: true,
    created: expect.any(Number) as number,
  });
  await expect(retrieve(created.id)).resolves.toEqual(created);
});

it('titles a configuration without a title by its kind and alias', async () => {
  const { id } = await configure({ alias: 'gateway' });
  await configure();

  const { results } = await call(providers.list, context, {});

  expect(results.map(({ title }) => title)).toEqual(['http (gateway)', 'http']);
  await expect(call(providers.replace, context, { ...results[0]!, alias: 'other' })).resolves.toMatchObject({ title: 'http (other)' });
  await expect(call(providers.change, context, { id, alias: 'texts' })).resolves.toMatchObject({ title: 'http (texts)' });
  await expect(call(providers.change, context, { id, title: 'Texts' })).resolves.toMatchObject({ title: 'Texts' });
  for (const title of ['', ' \t ']) {
    await expect(call(providers.change, context, { id, title })).resolves.toMatchObject({ title: 'http (texts)' });
    await expect(configure({ title })).resolves.toMatchObject({ title: 'http' });
  }
});

it('seals secrets in the database and publishes none', async () => {
  const { id } = await configure();
  await call(providers.change, context, { id, settings: { authorization: 'Bearer hunter2' } });

  const [row] = await messaging.service.sql<{ text: string }>(
    'select to_json(one)::text || encode(secrets, $2) as text from provider_configurations one where configuration_id = $1',
    [id, 'escape'],
  );
  const events = await messaging.service.sql<{ text: string }>('select to_json(one)::text as text from outbox one', []);

  expect(row!.text).toContain(SMS_SETTINGS.url);
  for (const { text } of [row!, ...events]) for (const secret of [SECRET, 'hunter2']) expect(text).not.toContain(secret);
});

describe('a replacement', () => {
  it('clears omitted fields, except secrets', async () => {
    const { id, created } = await configure({ alias: 'gateway', title: 'Gateway', order: 5 });

    const replaced = await call(providers.replace, context, { id, provider: 'http', settings: { ...shown, rate_limit: null } });

    const updated = expect.any(Number) as number;
    expect(replaced).toEqual({ id, provider: 'http', title: 'http', settings: shown, enabled: true, created, updated });
    await expect(retrieve(id)).resolves.toEqual(replaced);
  });

  it('removes a secret that is null, unless it is required', async () => {
    const { id } = await configure({ settings: { ...SMS_SETTINGS, authorization: 'Bearer abc' } });
    const replace = (settings: object) => call(providers.replace, context, { id, provider: 'http', settings: { ...shown, ...settings } });

    await replace({ authorization: null });
    await expect(replace({ secret: null })).rejects.toMatchObject({ code: 'invalid_request', message: 'settings.secret is required' });
  });

  it('that changes the address must contain the secrets', async () => {
    const { id } = await configure();
    const url = 'https://elsewhere.example.com/';
    const replace = (settings: object) => call(providers.replace, context, { id, provider: 'http', settings: { ...shown, ...settings } });

    await expect(replace({ url })).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'settings.secret must be given again, since settings.url changed: a stored secret is not sent to a new address',
    });
    await expect(replace({ url, secret: SECRET })).resolves.toMatchObject({ settings: { url } });
  });

  it('cannot change the provider', async () => {
    const { id } = await configure();

    await expect(call(providers.replace, context, { id, provider: 'smtp', settings: { host: 'mail.example.com' } })).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'provider must stay http: configure smtp beside it',
    });
  });
});

describe('a configuration without settings is refused with the required ones', () => {
  const refused = (message: string) => expect.objectContaining({ code: 'invalid_request', message }) as Error;

  it('when it is created', async () => {
    for (const [settings, got] of [
      [null, 'null'],
      [undefined, 'nothing'],
    ] as const) {
      const made = call(providers.create, context, { provider: 'http', settings });
      await expect(made).rejects.toEqual(refused(`settings must be an object with channel, url and secret at least (got ${got})`));
    }
  });

  it('when it is replaced, except secrets', async () => {
    const { id } = await configure();
    const replace = (settings?: Record<string, unknown> | null) => call(providers.replace, context, { id, provider: 'http', settings });
    await expect(replace(null)).rejects.toEqual(refused('settings must be an object with channel and url at least (got null)'));
    await expect(replace()).rejects.toEqual(refused('settings must be an object with channel and url at least (got nothing)'));
    await expect(replace({ channel: 'sms' })).rejects.toEqual(refused('settings.url is required'));
  });

  it('when all are removed by a change; omitted ones stay', async () => {
    const { id } = await configure();
    await expect(call(providers.change, context, { id, settings: null })).rejects.toEqual(
      refused('settings must be an object of what changes, or be left out (got null): channel, url and secret cannot be removed'),
    );
    await expect(call(providers.change, context, { id, settings: { url: null } })).rejects.toEqual(refused('settings.url is required'));
    await expect(call(providers.change, context, { id })).resolves.toMatchObject({ settings: shown });
  });
});

it('changes only the given fields and settings', async () => {
  const before = await configure({
    alias: 'gateway',
    title: 'Gateway',
    settings: { ...SMS_SETTINGS, rate_limit: { rate: 5, period: 'hour' } },
  });
  const { id } = before;

  const changed = await call(providers.change, context, { id, title: 'Renamed', settings: { rate_limit: { rate: 6 } } });
  const cleared = await call(providers.change, context, { id, alias: null, order: 3, settings: { rate_limit: null } });

  expect(changed).toMatchObject({ alias: 'gateway', title: 'Renamed', settings: { ...shown, rate_limit: { rate: 6, period: 'hour' } } });
  expect(cleared).toEqual({ ...before, title: 'Renamed', alias: undefined, order: 3, settings: shown, updated: cleared.updated });
});

it('treats null and empty fields as absent when creating, replacing and changing', async () => {
  const none = { alias: null, title: '', order: null, enabled: null };
  const settings = SMS_SETTINGS;

  const made = await call(providers.create, context, { provider: 'http', settings, ...none });
  const [first, second] = [await configure({ alias: 'one', title: 'One', order: 1 }), await configure({ alias: 'two', title: 'Two' })];
  const replaced = await call(providers.replace, context, { id: first.id, provider: 'http', settings, ...none });
  const changed = await call(providers.change, context, { id: second.id, provider: null, ...none });

  for (const { id, provider, title, settings, enabled, ...rest } of [made, replaced, changed]) {
    expect({ provider, title, settings, enabled }).toEqual({ provider: 'http', title: 'http', settings: shown, enabled: true });
    expect(Object.keys(rest).sort()).toEqual(id === made.id ? ['created'] : ['created', 'updated']);
  }
});

it('refuses invalid fields with a sentence', async () => {
  for (const [fields, sentence] of [
    [{ provider: 'pigeon' }, 'provider "pigeon" is not known; known: smtp, http, '],
    [{ provider: 'smtp' }, 'settings.channel is not a known field: known are host, port'],
    [{ settings: {} }, 'settings.channel is required; settings.url is required; settings.secret is required'],
    [
      { settings: { channel: 'fax', url: 'ftp://x', sercet: 'x', rate_limit: { rate: 0, perod: 'hour' } } },
      'settings.sercet is not a known field: the nearest is secret; settings.channel must be one of email, sms, push, direct_message, webhook, ' +
        'got "fax"; settings.secret is required; settings.url must be a URL that begins with https:// or http://; ' +
        'settings.rate_limit.perod is not a known field: the nearest is period; ' +
        'settings.rate_limit.rate must be a number from 0.001 to 1000000 (got 0); ' +
        'settings.rate_limit.period must be one of second, minute, hour (got nothing)',
    ],
    [{ settings: { ...SMS_SETTINGS, sercet: 'x' } }, 'settings.sercet is not a known field: the nearest is secret'],
    [{ settings: { ...SMS_SETTINGS, url: 'a\0b' } }, 'settings.url must not contain the character NUL'],
    [
      { settings: { ...SMS_SETTINGS, rate_limit: { rate: 0, period: 'second' } } },
      'settings.rate_limit.rate must be a number from 0.001 to 1000000 (got 0)',
    ],
    [
      { settings: { ...SMS_SETTINGS, rate_limit: { rate: 1, period: 'day' } } },
      'settings.rate_limit.period must be one of second, minute, hour (got "day")',
    ],
    [{ settings: { ...SMS_SETTINGS, rate_limit: { rate: 1, period: 'constructor' } } }, 'settings.rate_limit.period'],
    [{ settings: { ...SMS_SETTINGS, rate_limit: 5 } }, 'settings.rate_limit must be'],
    [
      { settings: { ...SMS_SETTINGS, rate_limit: { rate: 1, period: 'hour', burst: 5 } } },
      'settings.rate_limit.burst is not a known field: known are rate, period',
    ],
    [{ alias: 'smtp' }, 'alias smtp is the name of a provider'],
    [{ alias: 'email' }, 'alias email has a meaning of its own'],
    [{ alias: 'default' }, 'alias default has a meaning of its own'],
    [{ title: 'a\ud800' }, 'title must not contain'],
  ] as const) {
    await expect(configure(fields as Partial<Provider>)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(sentence) as string,
    });
  }
  await expect(call(providers.list, context, {})).resolves.toMatchObject({ results: [] });
});

describe('a host at a private address that operators do not allow is refused', () => {
  const refused = (host: string, setting: string) => ({
    code: 'invalid_request',
    message: `settings.${setting}: ${host} is not at a public address; operators allow others by TIDINGS_ALLOWED_PRIVATE_NETWORKS`,
  });
  const smtp = (host: string) => ({ provider: 'smtp', settings: { host } });
  const http = (url: string) => ({ provider: 'http', settings: { ...SMS_SETTINGS, url } });

  it.each([
    [http('http://10.0.0.1/hook'), '10.0.0.1', 'url'],
    [http('http://0xa.1/'), '10.0.0.1', 'url'],
    [http('http://[fd00::1]:9000/'), '[fd00::1]', 'url'],
    [http('http://169.254.169.254/latest/meta-data/'), '169.254.169.254', 'url'],
    [smtp('192.168.1.1'), '192.168.1.1', 'host'],
    [smtp('3232235777'), '3232235777', 'host'],
    [smtp('::1'), '::1', 'host'],
  ])('%j, when created, replaced or changed', async (fields, host, setting) => {
    await expect(call(providers.create, context, fields)).rejects.toMatchObject(refused(host, setting));

    const { id } = await configure(setting === 'host' ? smtp('mail.example.com') : {});
    await expect(call(providers.replace, context, { id, ...fields })).rejects.toMatchObject(refused(host, setting));
    await expect(call(providers.change, context, { id, ...fields })).rejects.toMatchObject(refused(host, setting));
    await expect(retrieve(id)).resolves.not.toHaveProperty('updated');
  });

  it('but an allowed one is not, nor a name that must be resolved', async () => {
    for (const fields of [http('http://127.0.0.1:9000/'), http('http://localhost:9000/'), http('http://intern.example/'), smtp('mail')])
      await expect(call(providers.create, context, fields)).resolves.toMatchObject({ provider: fields.provider });
  });
});

it('refuses an alias of another configuration', async () => {
  const { id } = await configure({ alias: 'gateway' });
  const other = await configure();

  await expect(configure({ alias: 'gateway' })).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining(id) as string });
  await expect(call(providers.change, context, { id: other.id, alias: 'gateway' })).rejects.toMatchObject({ code: 'conflict' });
  await expect(call(providers.change, context, { id, alias: 'gateway' })).resolves.toMatchObject({ alias: 'gateway' });
});

it('lists configurations in the order in which they are used', async () => {
  await configure({ title: 'first' });
  await configure({ title: 'second' });
  await configure({ title: 'preferred', order: -1 });
  await configure({ title: 'last resort', order: 9 });

  const { results, paging } = await call(providers.list, context, {});

  expect(results.map(({ title }) => title)).toEqual(['preferred', 'first', 'second', 'last resort']);
  expect(paging).toEqual({ more: false });
});

it('allows a hundred configurations per workspace, also under concurrent calls', async () => {
  for (let made = 0; made < PROVIDERS_MAX - 1; made += 1) await configure();

  const outcomes = await Promise.allSettled([configure(), configure(), configure()]);

  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
  await expect(call(providers.list, context, {})).resolves.toMatchObject({ paging: { more: false } });
});

it('is enabled unless a request says otherwise; an update without it, or with null, leaves it as it is', async () => {
  const made = await call(providers.create, context, { provider: 'http', settings: SMS_SETTINGS, enabled: false });
  const { id } = made;
  expect(made).toMatchObject({ enabled: false });

  await expect(call(providers.replace, context, { id, provider: 'http', settings: shown })).resolves.toMatchObject({ enabled: false });
  await expect(call(providers.change, context, { id, title: 'SMS' })).resolves.toMatchObject({ enabled: false });
  await expect(call(providers.change, context, { id, enabled: null })).resolves.toMatchObject({ enabled: false });
  const withNull = { id, provider: 'http', settings: shown, enabled: null };
  await expect(call(providers.replace, context, withNull)).resolves.toMatchObject({ enabled: false });
  await expect(call(providers.change, context, { id, enabled: true })).resolves.toMatchObject({ enabled: true });
  const replacement = { id, provider: 'http', settings: shown, enabled: false };
  await expect(call(providers.replace, context, replacement)).resolves.toMatchObject({ enabled: false });
  await expect(retrieve(id)).resolves.toMatchObject({ enabled: false });
});

it('refuses to remove a configuration while messages wait for it, unless forced', async () => {
  const [{ id }, forced] = [await configure(), await configure()];
  const wait = async (configuration: string): Promise<string> => {
    const [messageId, since] = [randomUUID(), Date.UTC(2026, 2, 1)];
    await messaging.service.sql(
      `insert into deliveries (message_id, leaf, workspace_id, channel, provider, attempt, attempt_open, due_at, integration, since_ms)
       values ($1, 0, $2, 'sms', 'http', 1, false, now() + interval '1 hour', $3, $4)`,
      [messageId, context.workspaceId, configuration, since],
    );
    return messageId;
  };
  const waiting = [await wait(id), await wait(forced.id)];

  await expect(call(providers.remove, context, { id })).rejects.toMatchObject({
    code: 'conflict',
    message:
      `1 delivery waits for provider configuration ${id}, until 2026-03-04T00:00:00.000Z unless the send has a longer timeout: ` +
      'remove it then, or with force=true',
  });
  await expect(retrieve(id)).resolves.toMatchObject({ id });
  await call(providers.remove, context, { id: forced.id, force: true });
  await expect(retrieve(forced.id)).rejects.toMatchObject({ code: 'not_found' });

  await messaging.service.sql('delete from deliveries where message_id = any($1)', [waiting]);
  await call(providers.remove, context, { id });
  await expect(retrieve(id)).rejects.toMatchObject({ code: 'not_found' });
  await expect(call(providers.remove, context, { id })).rejects.toMatchObject({ code: 'not_found' });
});

it('counts what it retries on demand, and changes nothing that is shown', async () => {
  const made = await configure();

  await expect(call(providers.retryNow, context, { id: made.id })).resolves.toEqual({ deliveries: 0 });

  await expect(retrieve(made.id)).resolves.toEqual(made);
  await expect(call(providers.retryNow, context, { id: 'prv_none' })).rejects.toMatchObject({ code: 'not_found' });
});

it('applies a call once when it is delivered twice', async () => {
  const redelivered = messaging.service.redelivered();
  const deliver = () => redelivered(providers.create, context, { provider: 'http', settings: SMS_SETTINGS });

  const first = await deliver();

  await expect(deliver()).resolves.toEqual(first);
  await expect(call(providers.list, context, {})).resolves.toMatchObject({ results: [{ id: first.id }] });
});

it('reads tables by index in every statement', async () => {
  const { sql } = messaging.service;
  await sql(
    `insert into provider_configurations (workspace_id, configuration_id, provider, channel, settings, secrets, position)
     select md5((n % 500)::text)::uuid, 'p' || n, 'http', 'sms', '{}', '', 0 from generate_series(1, 20000) n`,
    [],
  );
  await sql(
    `insert into deliveries (message_id, leaf, workspace_id, channel, provider, attempt, attempt_open, due_at, integration)
     select gen_random_uuid(), 0, case when n % 2 = 0 then $1 else gen_random_uuid() end, 'sms', 'http', 1, false, now() + interval '1 hour',
            case when n % 4 = 0 then 'default' else 'p' || n % 100 end from generate_series(1, 20000) n`,
    [context.workspaceId],
  );
  await sql('analyze provider_configurations, deliveries', []);
  const { id } = await configure({ alias: 'gateway' });

  const runs = await runsOf(async () => {
    await configure({ alias: 'other' });
    await call(providers.list, context, {});
    await call(providers.replace, context, { id, provider: 'http', settings: shown, alias: 'gateway' });
    await call(providers.retryNow, context, { id });
    await call(providers.remove, context, { id });
  });

  const ours = runs.filter(([{ name }]) => /provider[-_]configurations|deliver/.test(name));
  expect(ours.length).toBeGreaterThan(6);
  for (const [statement, values] of ours) await expectIndexed(sql, statement, values);
});

const ids = new Map<string, string>();
const strangers = (): string => [...ids.values()].at(-1)!;
describeWorkspaceIsolation('a provider configuration', {
  arrange: async (owner) => void ids.set(owner.workspaceId, (await messaging.configure(owner, { alias: 'gateway' })).id),
  read: (owner) => call(providers.retrieve, owner, { id: ids.get(owner.workspaceId)! }),
  attempts: {
    retrieve: { attempt: (stranger) => call(providers.retrieve, stranger, { id: strangers() }), refusedWith: 'not_found' },
    replace: {
      attempt: (stranger) => call(providers.replace, stranger, { id: strangers(), provider: 'http', settings: SMS_SETTINGS }),
      refusedWith: 'not_found',
    },
    change: { attempt: (stranger) => call(providers.change, stranger, { id: strangers(), title: 'x' }), refusedWith: 'not_found' },
    remove: { attempt: (stranger) => call(providers.remove, stranger, { id: strangers() }), refusedWith: 'not_found' },
    retryNow: { attempt: (stranger) => call(providers.retryNow, stranger, { id: strangers() }), refusedWith: 'not_found' },
    rotateCallback: { attempt: (stranger) => call(providers.rotateCallback, stranger, { id: strangers() }), refusedWith: 'not_found' },
    test: { attempt: (stranger) => call(providers.test, stranger, { id: strangers() }), refusedWith: 'not_found' },
    list: { attempt: (stranger) => call(providers.list, stranger, {}) },
    'the same alias': { attempt: (stranger) => messaging.configure(stranger, { alias: 'gateway' }) },
  },
});
