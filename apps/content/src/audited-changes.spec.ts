import type { Actor } from '@tidings/contracts/core/audit';
import { brands } from '@tidings/contracts/content/brands';
import { notifications } from '@tidings/contracts/content/notifications';
import { translations } from '@tidings/contracts/content/translations';
import { type AuditRecord, auditRecorded } from '@tidings/contracts/identity/audit-events';
import type { TestService } from '@tidings/testing/service';
import { waitUntil } from '@tidings/testing/wait-until';
import { newWorkspace } from './testing/content-listener';
import { sharedContent } from './testing/start-content';
import { buildTemplate, payloadOf, textContent } from './testing/template-builder';

const actor: Actor = { type: 'api-key', id: 'k-1' };
const records: AuditRecord[] = [];

let content: TestService;
beforeAll(async () => {
  content = await sharedContent();
  await content.events.broadcast(auditRecorded, ({ payload }) => void (payload && records.push(payload)));
});

it('are published with the change, by the names of the fields, and not for a change that fails', async () => {
  const caller = { ...newWorkspace(), actor };
  const { call } = content;
  const brand = { name: 'Acme', settings: { colors: { primary: '#123456' } } };
  await call(brands.create, caller, { id: 'acme', ...brand });
  await expect(call(brands.create, caller, { id: 'acme', ...brand })).rejects.toMatchObject({ code: 'conflict' });
  await call(brands.replace, caller, { brand_id: 'acme', name: 'Acme & Co', settings: { email: {} } });
  await call(brands.remove, caller, { brand_id: 'acme' });
  await call(translations.replace, caller, { domain: 'default', locale: 'de', translation: '' });

  const ours = (): AuditRecord[] => records.filter(({ workspaceId }) => workspaceId === caller.workspaceId);
  await waitUntil(() => ours().length >= 4, { what: 'the records' });
  const seen = ours().sort((one, other) => (one.at < other.at ? -1 : 1));
  expect(seen.map(({ type, operation, targetId, before, after }) => [type, operation, targetId, before, after])).toEqual([
    ['brand:created', 'content.brands.create', 'acme', [], ['brand_id', 'name', 'settings.colors']],
    ['brand:replaced', 'content.brands.replace', 'acme', ['name', 'settings.colors'], ['name', 'settings.email']],
    ['brand:deleted', 'content.brands.remove', 'acme', ['brand_id', 'name', 'settings.email'], []],
    ['translation:replaced', 'content.translations.replace', 'default/de', [], ['locale', 'po']],
  ]);
  for (const record of seen) expect(record.actor).toEqual(actor);
});

it('compare a version of a template with the one before it', async () => {
  const context = newWorkspace();
  const { id } = await buildTemplate(content.call, context, { state: 'PUBLISHED' });
  const caller = { ...context, actor };
  const notification = payloadOf({ name: 'Renamed', content: textContent('Another') });
  await content.call(notifications.replace, caller, { id, notification, state: 'PUBLISHED' });
  await content.call(notifications.archive, caller, { id });

  const ours = (): AuditRecord[] => records.filter(({ workspaceId }) => workspaceId === context.workspaceId);
  await waitUntil(() => ours().length >= 2, { what: 'the records' });
  const seen = ours().sort((one, other) => (one.at < other.at ? -1 : 1));
  const changed = expect.arrayContaining(['name', 'content.elements', 'published_version']) as string[];
  expect(seen.map(({ type, targetId, before, after }) => [type, targetId, before, after])).toEqual([
    ['notification:replaced', id, changed, changed],
    ['notification:archived', id, [], ['archived_at']],
  ]);
  expect(seen[0]!.after).not.toContain('tags');
});
