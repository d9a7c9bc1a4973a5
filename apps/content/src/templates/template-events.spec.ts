import { randomUUID } from 'node:crypto';
import { contentChanged, notificationHappened } from '@tidings/contracts/content/events';
import { type BaseCheck, notificationChecks } from '@tidings/contracts/content/notification-checks';
import { notificationContent } from '@tidings/contracts/content/notification-content';
import { notifications } from '@tidings/contracts/content/notifications';
import { routingStrategies } from '@tidings/contracts/content/routing-strategies';
import { tenantTemplates } from '@tidings/contracts/content/tenant-templates';
import type { CallContext } from '@tidings/contracts/core/context';
import { PostgresEventLog } from '@tidings/events/postgres/postgres-event-log';
import { contextOf } from '@tidings/testing/context-of';
import type { TestService } from '@tidings/testing/service';
import { waitUntil } from '@tidings/testing/wait-until';
import { startContent } from '../testing/start-content';
import { buildStrategy, buildTemplate, payloadOf, textContent } from '../testing/template-builder';
import { NotificationsHandlers } from './notifications.handlers';

let content: TestService;
let log: PostgresEventLog;
const call: TestService['call'] = (...parameters) => content.call(...parameters);
let context: CallContext;
const received: { workspaceId: string; what: string }[] = [];

beforeAll(async () => {
  content = await startContent();
  log = await PostgresEventLog.connect({ databaseUrl: content.adminUrl, applicationName: 'messaging-spec', maintenanceIntervalMs: null });
  await log.broadcast(contentChanged, ({ payload }) => {
    if (payload) received.push({ workspaceId: payload.workspaceId, what: `${payload.kind} ${payload.id}` });
  });
  await log.broadcast(notificationHappened, ({ payload }) => {
    if (payload)
      received.push({
        workspaceId: payload.workspaceId,
        what: [payload.type, payload.notificationId, payload.submissionId].filter(Boolean).join(' '),
      });
  });
});
afterAll(async () => {
  await content.stop();
  await log.close();
});
beforeEach(() => {
  context = contextOf(randomUUID());
});

/** The workspace's events, sorted, without those of a final publication, which shows that no others follow. */
async function published(count: number): Promise<string[]> {
  const { id } = await buildTemplate(call, context, { state: 'PUBLISHED' });
  const ofWorkspace = () => received.filter(({ workspaceId }) => workspaceId === context.workspaceId).map(({ what }) => what);
  await waitUntil(() => ofWorkspace().filter((what) => what.includes(id)).length === 2 && ofWorkspace().length >= count + 2, {
    what: `${count} events`,
  });
  return ofWorkspace()
    .filter((what) => !what.includes(id))
    .sort();
}

it('publishes template events on publication and archiving', async () => {
  const { id } = await buildTemplate(call, context);
  await call(notificationContent.replace, context, { id, content: textContent('of a draft') });
  await call(notifications.publish, context, { id });
  await call(notifications.publish, context, { id });
  await call(notifications.archive, context, { id });

  await expect(published(4)).resolves.toEqual([`notification:published ${id}`, `template ${id}`, `template ${id}`, `template ${id}`]);
});

it('publishes a submission and its cancellation', async () => {
  const { id } = await buildTemplate(call, context);
  const submission = { id, submissionId: '1700000000000' };
  const check: BaseCheck = { id: 'spelling', status: 'PENDING', type: 'custom' };

  const first = await call(notificationChecks.replace, context, { ...submission, checks: [check, { ...check, id: 'links' }] });
  const checks: BaseCheck[] = [
    { ...check, status: 'RESOLVED' },
    { ...check, id: 'links' },
  ];
  const second = await call(notificationChecks.replace, context, { ...submission, checks });
  await expect(call(notificationChecks.list, context, submission)).resolves.toEqual(second);
  await call(notificationChecks.cancel, context, submission);

  expect(second.checks).toMatchObject([{ id: 'spelling', status: 'RESOLVED' }, first.checks[1]!]);
  for (const attempt of [
    () => call(notificationChecks.list, context, submission),
    () => call(notificationChecks.cancel, context, submission),
  ]) {
    await expect(attempt()).rejects.toMatchObject({ code: 'not_found' });
  }
  await expect(call(notificationChecks.list, context, { id, submissionId: 'soon' })).rejects.toMatchObject({
    message: 'submissionId must be the time of the submission, in ms since 1970 (got "soon")',
  });
  const stranger = contextOf(randomUUID());
  await expect(call(notificationChecks.replace, stranger, { ...submission, checks: [] })).rejects.toMatchObject({ code: 'not_found' });
  await expect(published(3)).resolves.toEqual([
    `notification:submission_canceled ${id} 1700000000000`,
    `notification:submitted ${id} 1700000000000`,
    `template ${id}`,
  ]);
});

it('publishes changes of strategies and of tenants’ templates', async () => {
  const id = await buildStrategy(call, context);
  await call(routingStrategies.replace, context, { id, name: 'Other', routing: { method: 'all', channels: ['email'] } });
  await call(routingStrategies.archive, context, { id });
  const key = { tenant_id: 'acme', template_id: 't' };
  await call(tenantTemplates.replace, context, { ...key, template: { content: textContent('draft') } });
  await call(tenantTemplates.publish, context, key);
  await call(tenantTemplates.publish, context, key);
  await call(tenantTemplates.remove, context, key);

  await expect(published(4)).resolves.toEqual([
    `routing_strategy ${id}`,
    `routing_strategy ${id}`,
    'tenant_template acme/t',
    'tenant_template acme/t',
  ]);
});

it('publishes once for a call that is delivered twice', async () => {
  const { id } = await buildTemplate(call, context);
  const delivered = { ...context, deliveryId: randomUUID() };
  const request = { id, notification: payloadOf({ content: textContent('new') }), state: 'PUBLISHED' as const };

  for (let n = 0; n < 2; n += 1) await content.get<NotificationsHandlers>(NotificationsHandlers).replace(delivered, request);

  await expect(published(3)).resolves.toEqual([`notification:published ${id}`, `template ${id}`, `template ${id}`]);
  await expect(call(notifications.versions, context, { id })).resolves.toMatchObject({ versions: [{}, { version: 'published:v001' }] });
});
