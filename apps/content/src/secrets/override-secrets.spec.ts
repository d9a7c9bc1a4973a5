import { randomBytes, randomUUID } from 'node:crypto';
import { routingStrategies } from '@tidings/contracts/content/routing-strategies';
import { contentSecrets } from '@tidings/contracts/content/secrets';
import { type LoadedTemplate, sendingTemplates } from '@tidings/contracts/content/sending';
import { tenantTemplates } from '@tidings/contracts/content/tenant-templates';
import { type CallContext, SYSTEM_WORKSPACE_ID, systemContext } from '@tidings/contracts/core/context';
import { KEY_RETENTION_MS_MIN, RequestKey } from '@tidings/contracts/core/idempotency';
import { type AuditRecord, auditRecorded } from '@tidings/contracts/identity/audit-events';
import { CallJournal } from '@tidings/persistence/call-journal';
import { Database } from '@tidings/persistence/database';
import { OverrideSecrets } from '@tidings/runtime/override-secrets';
import { keyIdOf } from '@tidings/runtime/secret-box';
import { contextOf } from '@tidings/testing/context-of';
import { databaseText } from '@tidings/testing/database-text';
import type { TestService } from '@tidings/testing/service';
import { waitUntil } from '@tidings/testing/wait-until';
import { DataSource } from 'typeorm';
import { EscapeSealedTexts1796600000000 } from '../migrations/escape-sealed-texts';
import { sharedContent, startContent } from '../testing/start-content';
import { buildTemplate, textContent } from '../testing/template-builder';
import { SecretsHandlers } from './secrets.handlers';

const [KEY, NEW_KEY] = [randomBytes(32), randomBytes(32)];
const TENANT = { tenant_id: 'acme', template_id: 'welcome' };
const STRATEGY = { name: 'S', routing: { method: 'single' as const, channels: ['sms'] } };

let content: TestService;
let context: CallContext;
let marker: string;
beforeAll(async () => {
  content = await startContent({ secretKeys: [KEY] });
});
beforeEach(() => {
  context = contextOf(randomUUID());
  marker = `hunter2-${randomUUID()}`;
});
afterAll(() => content.stop());

const call: TestService['call'] = (...parameters) => content.call(...parameters);
const settingsWith = (secret: unknown) => ({
  channels: { sms: { override: { config: { authorization: secret }, body: { from: 'us' } } } },
  providers: { http: { if: 'true', override: { headers: { 'x-key': secret, 'x-none': null } } } },
});
const putTenants = (settings: object, by = call, of = context) =>
  by(tenantTemplates.replace, of, { ...TENANT, template: { content: textContent('Hello'), ...settings }, published: true });
const load = async (template: string, tenant_id: string, options: { sealed?: boolean }): Promise<LoadedTemplate> => {
  const key = { workspace_id: context.workspaceId, template, tenant_id };
  const { templates } = await call(sendingTemplates.load, systemContext(randomUUID()), { templates: [key], ...options });
  return templates[0]!;
};
const stored = () => databaseText(content.adminUrl);
const allRows = async (
  reseal: (cursor?: string | null) => Promise<{ done: boolean; cursor?: string; resealed: number; unreadable: number }>,
) => {
  const all = { resealed: 0, unreadable: 0 };
  for (let step = await reseal(); ; step = await reseal(step.cursor)) {
    all.resealed += step.resealed;
    all.unreadable += step.unreadable;
    if (step.done) return all;
  }
};
/** As a process with these keys. */
const handlersWith = (...keys: Buffer[]) => new SecretsHandlers(content.get(Database), new OverrideSecrets(keys), content.get(CallJournal));
const storeInClear = async (settings: ReturnType<typeof settingsWith>): Promise<string> => {
  const { id } = await call(routingStrategies.create, context, STRATEGY);
  await putTenants({ channels: {}, providers: {} });
  const values = [context.workspaceId, JSON.stringify(settings.channels), JSON.stringify(settings.providers)];
  for (const table of ['routing_strategies', 'tenant_template_versions'])
    await content.sql(`update ${table} set channels = $2, providers = $3 where workspace_id = $1`, values);
  return id;
};

describe('secrets of overrides', () => {
  it('are answered as they were put, and stored nowhere in clear', async () => {
    const again = content.redelivered();
    const settings = settingsWith(marker);
    const strategy = { ...STRATEGY, ...settings };
    const keyed = (key: string) => ({ ...context, requestKey: new RequestKey(key, Date.now() + KEY_RETENTION_MS_MIN) });
    const replace = (key: string) => call(routingStrategies.replace, keyed(key), { ...strategy, id: created.id });

    const created = await again(routingStrategies.create, context, strategy);
    const [redelivered, replaced, replayed] = [
      await again(routingStrategies.create, context, strategy),
      await replace('a key'),
      await replace('a key'),
    ];
    await putTenants(settings, call, keyed(randomUUID()));

    expect(created).toMatchObject(settings);
    expect(redelivered).toEqual(created);
    expect(replaced).toMatchObject(settings);
    expect(replayed).toEqual(replaced);
    await expect(call(routingStrategies.retrieve, context, { id: created.id })).resolves.toMatchObject(settings);
    const { data } = await call(tenantTemplates.retrieve, context, TENANT);
    expect(data).toMatchObject(settings);
    expect((await call(tenantTemplates.retrieveVersion, context, { ...TENANT, version: 'v1' })).data).toEqual(data);
    const text = await stored();
    expect(text).toContain(created.id);
    expect(text).not.toContain(marker);
  });

  it('are sealed for a send by the names that sends use, and opened for callers of earlier versions', async () => {
    const settings = settingsWith(marker);
    const { id: strategy_id } = await call(routingStrategies.create, context, { ...STRATEGY, ...settings });
    await buildTemplate(call, context, { alias: 'receipt', routing: { strategy_id }, state: 'PUBLISHED' });
    await putTenants(settings);

    for (const [name, tenant] of [
      ['receipt', 'none'],
      ['welcome', 'acme'],
    ] as const) {
      const sealed = await load(name, tenant, { sealed: true });
      expect(JSON.stringify(sealed)).not.toContain(marker);
      expect(new OverrideSecrets([KEY]).open(context.workspaceId, sealed.providers.http!.override!)).toEqual(
        settings.providers.http.override,
      );
      expect(await load(name, tenant, {})).toMatchObject(settings);
    }
  });

  it('are refused where they are sealed already, with or without a key', async () => {
    const sealed = new OverrideSecrets([KEY]).acceptSettings(context.workspaceId, settingsWith(marker));
    const { channels, providers } = sealed;
    const { id } = await call(routingStrategies.create, context, STRATEGY);
    const refused = (at: string) => ({ code: 'invalid_request', message: `${at} must be given as it is, not as it was stored` });

    await expect(call(routingStrategies.create, context, { ...STRATEGY, ...sealed })).rejects.toMatchObject(
      refused('channels.sms.override.config.authorization'),
    );
    await expect(call(routingStrategies.replace, context, { ...STRATEGY, id, providers })).rejects.toMatchObject(
      refused('providers.http.override.headers.x-key'),
    );
    await expect(putTenants({ channels })).rejects.toMatchObject(refused('template.channels.sms.override.config.authorization'));
    const without = await sharedContent();
    await expect(putTenants({ providers }, without.call)).rejects.toMatchObject(refused('template.providers.http.override.headers.x-key'));
  });

  it('that stay the same are not named by the audit event of another change', async () => {
    const records: AuditRecord[] = [];
    await content.events.broadcast(
      auditRecorded,
      ({ payload }) => void (payload?.workspaceId === context.workspaceId && records.push(payload)),
    );
    const caller = { ...context, actor: { type: 'api-key', id: 'k-1' } as const };
    const settings = settingsWith(marker);
    const { id } = await call(routingStrategies.create, context, { ...STRATEGY, ...settings });
    await putTenants(settings);

    await call(routingStrategies.replace, caller, { ...STRATEGY, ...settings, id, name: 'Renamed' });
    await putTenants({ ...settings, content: textContent('Another') }, call, caller);
    await putTenants({ ...settings, content: textContent('Another'), channels: {} }, call, caller);

    await waitUntil(() => records.length >= 3);
    const named = records.map(({ type, after }) => [type, after.filter((name) => /^(name|content|channels|providers)/.test(name))]);
    expect(named).toEqual(
      expect.arrayContaining([
        ['routing-strategy:replaced', ['name']],
        ['tenant-template:replaced', ['content.elements']],
        ['tenant-template:replaced', []],
      ]),
    );
  });

  it('that were stored in clear are read as they are, and sealed on request', async () => {
    const settings = settingsWith(marker);
    const id = await storeInClear(settings);
    const read = async () => [
      await call(routingStrategies.retrieve, context, { id }),
      (await call(tenantTemplates.retrieve, context, TENANT)).data,
      await load('welcome', 'acme', {}),
    ];
    const before = await read();
    expect(before).toMatchObject([settings, settings, settings]);
    expect(await load('welcome', 'acme', { sealed: true })).toMatchObject(settings);
    expect(await stored()).toContain(marker);

    const records: AuditRecord[] = [];
    await content.events.broadcast(auditRecorded, ({ payload }) => void (payload?.type === 'secrets:resealed' && records.push(payload)));
    const actor = { type: 'operator', id: 'alice' } as const;
    const step = (cursor?: string | null) => call(contentSecrets.reseal, { ...systemContext(randomUUID()), actor }, { cursor });

    expect(await allRows(step)).toEqual({ resealed: 2, unreadable: 0 });
    await waitUntil(() => records.length > 0);
    expect(records).toEqual([
      expect.objectContaining({
        workspaceId: SYSTEM_WORKSPACE_ID,
        actor,
        targetId: keyIdOf(KEY),
        operation: contentSecrets.reseal.pattern,
      }),
    ]);
    expect(await stored()).not.toContain(marker);
    expect(await read()).toEqual(before);
    expect(await allRows(step)).toEqual({ resealed: 0, unreadable: 0 });
    await expect(step('[9]')).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('are sealed again in the background at the first start with another key', async () => {
    const settings = settingsWith(marker);
    const { id } = await call(routingStrategies.create, context, { ...STRATEGY, ...settings });
    await putTenants(settings);
    const withBoth = handlersWith(NEW_KEY, KEY);

    expect((await allRows((cursor) => handlersWith(NEW_KEY).reseal(context, { cursor }))).unreadable).toBeGreaterThanOrEqual(2);
    withBoth.onApplicationBootstrap();
    const isOpenedBy = async (...keys: Buffer[]): Promise<boolean> => {
      const [row] = await content.sql<ReturnType<typeof settingsWith>>(
        'select channels, providers from routing_strategies where strategy_id = $1',
        [id],
      );
      return JSON.stringify(new OverrideSecrets(keys).openSettings(context.workspaceId, row!)).includes(marker);
    };
    await waitUntil(() => isOpenedBy(NEW_KEY), { what: 'the new key' });
    await waitUntil(
      async () => (await content.sql('select from sealing where key_id = $1', [new OverrideSecrets([NEW_KEY]).keyId])).length > 0,
    );
    await withBoth.onApplicationShutdown();

    expect(await isOpenedBy(KEY)).toBe(false);
    // The process of this suite has the first key alone: it answers nothing that it cannot open.
    const key = `the key ${new OverrideSecrets([NEW_KEY]).keyId}, which TIDINGS_SECRET_KEY does not hold`;
    await expect(call(routingStrategies.retrieve, context, { id })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(`^channels\\.sms\\.override\\.\\S+ of routing strategy ${id} cannot be read: .* ${key}`) as string,
    });
    await expect(call(tenantTemplates.retrieve, context, TENANT)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('of template welcome of tenant acme cannot be read') as string,
    });
    expect(await allRows((cursor) => handlersWith(KEY, NEW_KEY).reseal(context, { cursor }))).toMatchObject({ unreadable: 0 });
    await expect(call(routingStrategies.retrieve, context, { id })).resolves.toMatchObject(settings);
  });

  it('lose the form of a sealed value where a client stored it before content sealed', async () => {
    const { channels } = new OverrideSecrets([KEY]).acceptSettings(context.workspaceId, settingsWith(marker));
    const [planted] = JSON.stringify(channels).match(/tidings-sealed:[^"]+/)!;
    const id = await storeInClear(settingsWith(planted));
    const runner = content.get(DataSource).createQueryRunner();
    const escape = new EscapeSealedTexts1796600000000();
    await content.sql('insert into sealing (key_id) values ($1) on conflict do nothing', ['any']);

    await escape.up(runner);
    expect((await load('welcome', 'acme', {})).channels).toEqual(settingsWith(marker).channels);
    await content.sql('delete from sealing', []);
    await escape.up(runner);
    await runner.release();

    await expect(call(routingStrategies.retrieve, context, { id })).resolves.toMatchObject(settingsWith(`not sealed: ${planted}`));
    expect(await load('welcome', 'acme', {})).toMatchObject(settingsWith(`not sealed: ${planted}`));
  });
});
