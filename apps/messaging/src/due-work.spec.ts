import { randomUUID } from 'node:crypto';
import { newMessageId, requireMessageUuid } from '@tidings/contracts/messaging/message-id';
import type { Database, Statement } from '@tidings/persistence/database';
import { metrics } from '@tidings/runtime/metrics';
import { DueWork, workspaceBacklog } from './due-work';
import { Messaging } from './testing/start-messaging';

describe('the metrics of due work', () => {
  let messaging: Messaging;
  beforeAll(async () => {
    messaging = await Messaging.create();
    await messaging.start();
    // Rows stay as they are inserted.
    await messaging.stop();
    await messaging.rows('set search_path to messaging');
  });
  afterAll(() => messaging.end());

  const insert = (lane: number, due: string, workspaceId: string = randomUUID()): Promise<unknown> =>
    messaging.rows(
      `insert into messaging.expansions (request_id, workspace_id, lane, turn, due_at, request, progress)
       values ($1, $4, $2, 0, clock_timestamp() + $3::interval, '{}', '{}')`,
      [requireMessageUuid(newMessageId(Date.now())), lane, due, workspaceId],
    );

  it('show the age of the oldest due row, and due rows by lane', async () => {
    await insert(1, '-10 minutes');
    await insert(2, '-1 minute');
    await insert(2, '-1 minute');
    await insert(0, '1 hour');
    const work = new DueWork({ query: ({ text }: Statement) => messaging.rows(text) } as unknown as Database);
    work.onApplicationBootstrap();
    const text = await metrics.registry.metrics();
    work.onApplicationShutdown();

    const age = Number(/^tidings_oldest_due_delivery_age_seconds (\S+)$/m.exec(text)?.[1]);
    expect(Math.floor(age / 60)).toBe(10);
    const lanes = [...text.matchAll(/^tidings_backlog\{lane="(\w+)"\} (\d+)$/gm)].map(([, lane, due]) => [lane, Number(due)]);
    expect(Object.fromEntries(lanes)).toEqual({ critical: 0, normal: 1, bulk: 2 });
  });

  it('of a workspace are its own, whatever their lane', async () => {
    const workspaceId = randomUUID();
    for (const [lane, due] of [
      [0, '-1 minute'],
      [2, '-1 hour'],
      [1, '1 hour'],
    ] as const)
      await insert(lane, due, workspaceId);
    const database = { query: ({ text }: Statement, values: unknown[]) => messaging.rows(text, values) } as unknown as Database;

    const { waiting, oldestAt } = await workspaceBacklog(database, workspaceId);

    expect(waiting).toBe(2);
    expect(Math.round((Date.now() - oldestAt!) / 60_000)).toBe(60);
    expect(await workspaceBacklog(database, randomUUID())).toEqual({ waiting: 0, oldestAt: undefined });
  });
});
