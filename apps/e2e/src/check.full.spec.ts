import { messageIdToUuid } from '@tidings/contracts/messaging/message-id';
import { describeWithKafka, KAFKA_START_TIMEOUT_MS } from '@tidings/testing/kafka';
import { waitUntil } from '@tidings/testing/wait-until';
import { Client } from 'pg';
import { System } from './testing/system';

const SENDS = 30;
const REQUESTS = 'tidings.message-requests.v1';
const ROUTER = 'tidings.messaging.router';
/** A killed member stays in its group until its session ends. */
const LEAVE_MS = 60_000;

interface Report {
  requests: number;
  workspaces: { accepted: number; final: number }[];
  problems: { problem: string; found: number }[];
  listed: { problem: string; id: string; accepted_at?: string }[];
}

describeWithKafka('tidings check and tidings replay', () => {
  let system: System;

  beforeAll(async () => {
    system = await System.start({ topology: 'kafka' });
  }, KAFKA_START_TIMEOUT_MS);
  afterAll(() => system?.stop());

  async function check(): Promise<{ end: unknown; report: Report }> {
    const { end, stdout } = await system.tidings('check', '--json');
    return { end, report: JSON.parse(stdout) as Report };
  }

  it('find accepted messages that a database lost, and let messaging read them again', async () => {
    const ids = await Promise.all(Array.from({ length: SENDS }, (_, index) => system.client.send(`user-${index}@example.com`)));
    for (const id of ids) await system.client.messageOnce('DELIVERED', id);

    const sound = await check();
    expect(sound).toMatchObject({ end: 0, report: { requests: SENDS, workspaces: [{ accepted: SENDS, final: SENDS }], problems: [] } });

    const lost = ids[0]!;
    const database = new Client({ connectionString: system.roleUrl('messaging') });
    await database.connect();
    for (const [table, column] of [
      ['history', 'message_id'],
      ['messages', 'id'],
    ] as const)
      await database.query(`delete from messaging.${table} where ${column} = $1`, [messageIdToUuid(lost)]);
    await database.end();
    const { end, report } = await check();
    expect({ end, listed: report.listed }).toMatchObject({ end: 3, listed: [{ problem: 'lost-request', id: lost }] });

    const reset = () => system.tidings('replay', REQUESTS, '--from', report.listed[0]!.accepted_at!, '--group', ROUTER);
    await expect(reset()).resolves.toMatchObject({ end: 1, output: expect.stringContaining('is active: tidings-messaging at') as string });
    await system.kill();
    const { output } = await waitUntil(async () => [await reset()].find((one) => one.end === 0), {
      what: 'the group to be inactive',
      timeoutMs: LEAVE_MS,
    });
    expect(output).toContain('continues in');
    await system.restart();

    await system.client.messageOnce('DELIVERED', lost);
    await waitUntil(async () => (await check()).end === 0, { what: 'nothing to be wrong' });
  });
});
