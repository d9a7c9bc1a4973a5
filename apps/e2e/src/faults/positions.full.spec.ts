import { Client } from 'pg';
import { type Admin, Kafka, logLevel } from 'kafkajs';
import { messageRequested } from '@tidings/contracts/messaging/events';
import { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import { describeWithKafka } from '@tidings/testing/kafka';
import { waitUntil } from '@tidings/testing/wait-until';
import { untilAllDelivered } from '../testing/delivered';
import { SendLoad } from '../testing/send-load';
import { System } from '../testing/system';

jest.setTimeout(600_000);

const SENDS = 200;
const CONNECTIONS = 8;
const DELIVERY_TIMEOUT_MS = 120_000;

describeWithKafka('The positions of messaging in its database', () => {
  let smtp: CapturingSmtp;
  let system: System;
  let admin: Admin;
  let topic: string;

  beforeAll(async () => {
    smtp = await CapturingSmtp.start({ withoutContent: true });
    system = await System.start({ topology: 'kafka', smtpUrl: smtp.url });
    admin = new Kafka({ brokers: [...system.kafkaBrokers], logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    topic = `${system.topicPrefix}${messageRequested.topic}`;
  });
  afterAll(async () => {
    await admin?.disconnect();
    await system?.stop();
    await smtp?.close();
  });

  const query = async <Row extends object>(text: string): Promise<Row[]> => {
    const client = new Client(system.roleUrl('messaging'));
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  };
  const stored = async () => {
    const [row] = await query<{ sum: string }>('select coalesce(sum(next_offset), 0) as sum from messaging.consumer_positions');
    return Number(row!.sum);
  };
  const appended = async () => (await admin.fetchTopicOffsets(topic)).reduce((sum, { high }) => sum + Number(high), 0);
  const untilStored = () =>
    waitUntil(async () => (await stored()) === (await appended()), { what: 'positions at the end of the topic', timeoutMs: 60_000 });
  const deliver = async (name: string) => {
    const load = new SendLoad(system.client, name);
    await load.flood(SENDS, CONNECTIONS, () => undefined);
    expect(load.tally).toEqual({ 202: SENDS });
    await untilAllDelivered(
      system.client,
      load.accepted.map(({ id }) => id),
      DELIVERY_TIMEOUT_MS,
    );
    await untilStored();
  };
  const secondCopies = () => [...smtp.copies().values()].reduce((sum, count) => sum + count - 1, 0);

  it('were set back by SQL: every request is processed again, and nothing is sent twice', async () => {
    await deliver('set-back');
    await system.kill();

    await query('update messaging.consumer_positions set next_offset = 0');
    await system.restart();
    await untilStored();

    expect(system.output).toContain('records behind the offset');
    await deliver('after-set-back');
    expect(smtp.mails).toHaveLength(2 * SENDS);
    expect(secondCopies()).toBe(0);
  });

  it('are not used for a topic that was deleted and created anew: nothing sent to it is skipped', async () => {
    await system.kill();
    await admin.deleteTopics({ topics: [topic] });
    await waitUntil(async () => !(await admin.listTopics()).includes(topic), { what: 'the end of the topic' });
    const mailsBefore = smtp.mails.length;
    await system.restart();

    await deliver('new-topic');

    expect(await appended()).toBe(SENDS);
    expect(smtp.mails.length - mailsBefore).toBe(SENDS);
    expect(secondCopies()).toBe(0);
  });
});
