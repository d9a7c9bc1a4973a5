import { randomUUID } from 'node:crypto';
import { notificationChecks } from '@tidings/contracts/content/notification-checks';
import { notificationContent } from '@tidings/contracts/content/notification-content';
import { notifications } from '@tidings/contracts/content/notifications';
import { routingStrategies } from '@tidings/contracts/content/routing-strategies';
import { sendingTemplates } from '@tidings/contracts/content/sending';
import { tenantTemplates } from '@tidings/contracts/content/tenant-templates';
import { contextOf } from '@tidings/testing/context-of';
import { expectIndexed } from '@tidings/testing/explain';
import { runsOf } from '@tidings/testing/runs-of';
import type { TestService } from '@tidings/testing/service';
import { startContent } from '../testing/start-content';
import { buildTemplate, payloadOf, textContent } from '../testing/template-builder';

const ROWS = 10_000;
const context = contextOf(randomUUID());
const { workspaceId } = context;

let content: TestService;
const call: TestService['call'] = (...parameters) => content.call(...parameters);

beforeAll(async () => {
  content = await startContent();
  await fill();
});
afterAll(() => content.stop());

/** A workspace where every template has the tag `a`, every hundredth `b`, and every tenth one strategy. */
async function fill(): Promise<void> {
  const version = (number: number): string =>
    `insert into notification_versions (workspace_id, template_id, version, name, tags, strategy_id, content, element_ids, bytes)
     select $1, 't' || n, ${number}, 'Template', '{a}', case when n % 10 = 0 then 's1' end, '{"elements":[]}', '{}', 30
       from generate_series(1, ${ROWS}) n`;
  for (const insert of [
    `insert into notification_templates (workspace_id, template_id, alias, revision, latest_version, published_version, draft_version, created_at)
     select $1, 't' || n, 'alias ' || n, 1, 1, 1, 1, timestamptz '2026-01-01' + n * interval '1 second' from generate_series(1, ${ROWS}) n`,
    version(0),
    version(1),
    `insert into notification_tags (workspace_id, tag, created_at, template_id)
     select $1, tag, timestamptz '2026-01-01' + n * interval '1 second', 't' || n
       from generate_series(1, ${ROWS}) n, unnest(case when n % 100 = 0 then array['a', 'b'] else array['a'] end) tag`,
    `insert into notification_strategies (workspace_id, strategy_id, created_at, template_id)
     select $1, 's1', timestamptz '2026-01-01' + n * interval '1 second', 't' || n from generate_series(10, ${ROWS}, 10) n`,
    `insert into routing_strategies (workspace_id, strategy_id, name, routing, channels, providers, bytes)
     select $1, 's' || n, 'Strategy', '{}', '{}', '{}', 6 from generate_series(1, ${ROWS}) n`,
    `insert into tenant_templates (workspace_id, tenant_id, template_id, latest_version, published_version, published_at)
     select $1, 'tenant' || n % 10, 't' || n, 1, 1, now() from generate_series(1, ${ROWS}) n`,
    `insert into tenant_template_versions (workspace_id, tenant_id, template_id, version, content, bytes)
     select $1, 'tenant' || n % 10, 't' || n, 1, '{"elements":[]}', 30 from generate_series(1, ${ROWS}) n`,
    `insert into event_mappings (workspace_id, event_id, notification_id) select $1, 'event' || n, 't' || n from generate_series(1, ${ROWS}) n`,
    `insert into notification_submissions (workspace_id, template_id, submission_id, checks)
     select $1, 't' || n, 1, '[]' from generate_series(1, ${ROWS}) n`,
  ]) {
    await content.sql(insert, [workspaceId]);
  }
  await content.sql('analyze', []);
}

const id = 't77';
const key = { tenant_id: 'tenant5', template_id: 't15' };
const named = (n: number) => ({
  workspace_id: workspaceId,
  template: [`t${n}`, `alias ${n}`, `event${n}`, 'unknown'][n % 4]!,
  tenant_id: 'tenant5',
});

describe.each<[string, () => Promise<unknown>]>([
  ['listing templates', () => call(notifications.list, context, {})],
  [
    'listing templates from a page in the middle',
    async () => call(notifications.list, context, { cursor: (await call(notifications.list, context, {})).paging.cursor }),
  ],
  ['listing templates of a common tag', () => call(notifications.list, context, { tags: ['a'] })],
  ['listing templates of two tags', () => call(notifications.list, context, { tags: ['b', 'a'] })],
  ['listing the template of an event', () => call(notifications.list, context, { event_id: 'event9' })],
  ['getting a template', () => call(notifications.retrieve, context, { id })],
  ['getting a template by its alias', () => call(notifications.retrieve, context, { id: 'alias 77' })],
  ['finding missing templates', () => call(sendingTemplates.findMissing, context, { names: [id, 'alias 78', 'unknown'] })],
  ['listing versions', () => call(notifications.versions, context, { id })],
  ['creating a template', () => buildTemplate(call, context, { tags: ['x'], state: 'PUBLISHED' })],
  [
    'replacing and publishing a template',
    () =>
      call(notifications.replace, context, {
        id,
        notification: payloadOf({ tags: ['c'], routing: { strategy_id: 's2' } }),
        state: 'PUBLISHED',
      }),
  ],
  ['publishing a version', () => call(notifications.publish, context, { id, version: 'v001' })],
  ['archiving a template', () => call(notifications.archive, context, { id: 't78' })],
  ['getting content', () => call(notificationContent.retrieve, context, { id })],
  ['putting content', () => call(notificationContent.replace, context, { id, content: textContent('x') })],
  ['putting checks', () => call(notificationChecks.replace, context, { id, submissionId: '2', checks: [] })],
  ['cancelling a submission', () => call(notificationChecks.cancel, context, { id, submissionId: '1' })],
  ['listing strategies', () => call(routingStrategies.list, context, {})],
  ['listing the templates of a strategy', () => call(routingStrategies.templates, context, { id: 's1' })],
  ['a refused archival of a strategy', () => call(routingStrategies.archive, context, { id: 's1' }).catch(() => undefined)],
  ['archiving a strategy', () => call(routingStrategies.archive, context, { id: 's3' })],
  ['listing the templates of a tenant', () => call(tenantTemplates.list, context, { tenant_id: 'tenant5' })],
  ['getting a template of a tenant', () => call(tenantTemplates.retrieve, context, key)],
  [
    'putting a template of a tenant',
    () => call(tenantTemplates.replace, context, { ...key, template: { content: textContent('x') }, published: true }),
  ],
  ['deleting a template of a tenant', () => call(tenantTemplates.remove, context, { ...key, template_id: 't25' })],
  [
    'loading templates for sends',
    () => call(sendingTemplates.load, context, { templates: Array.from({ length: 200 }, (_, n) => named(n * 7 + 1)) }),
  ],
])('%s', (_, work) => {
  it('scans no whole table', async () => {
    const runs = await runsOf(work);

    expect(runs.length).toBeGreaterThan(0);
    for (const [statement, values] of runs) await expectIndexed(content.sql, statement, values);
  });
});
