import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWithKafka, KAFKA_START_TIMEOUT_MS, sharedTestKafka } from '@tidings/testing/kafka';
import { SourceProcess } from '@tidings/testing/source-process';
import { type Admin, Kafka, logLevel, Partitioners } from 'kafkajs';

const MAIN = join(__dirname, 'replay-main.ts');
const FROM = ['--from', '2026-01-01'];

function run(parameters: string[], environment: NodeJS.ProcessEnv = {}) {
  return SourceProcess.start(MAIN, { parameters, environment: { KAFKA_BROKERS: '', DATABASE_URL: '', LOG_LEVEL: '', ...environment } });
}
async function outcomeOf(...parameters: Parameters<typeof run>) {
  const child = run(...parameters);
  return { end: await child.ended, output: child.output };
}

describe('tidings replay', () => {
  it.each([
    [['t', ...FROM], 'Give either --into or --group'],
    [['t', '--from', 'yesterday', '--into', 'x'], '--from yesterday is not a time'],
    [['t', ...FROM, '--group', 'g', '--to', '2026-01-02'], 'belong to --into'],
    [['t', ...FROM, '--into', 'x', '--workspace', 'shop'], '--workspace shop is not the id'],
    [[...FROM, '--into', 'x'], 'Usage: tidings replay TOPIC'],
  ])('refuses %j', async (parameters, reason) => {
    await expect(outcomeOf(parameters)).resolves.toEqual({ end: 2, output: expect.stringContaining(reason) as string });
  });

  it('says what to do instead where the log is in PostgreSQL', async () => {
    await expect(outcomeOf(['tidings.message-history.v1', ...FROM, '--into', 'x'])).resolves.toEqual({
      end: 1,
      output: expect.stringContaining('GET /messages/:message_id/history') as string,
    });
  });

  describeWithKafka('over Kafka', () => {
    const directory = mkdtempSync(join(tmpdir(), 'tidings-replay-'));
    const workspaces = [randomUUID(), randomUUID()] as const;
    const RECORDS = 40_000;
    let brokers: string;
    let admin: Admin;
    let topic: string;
    let into: string;

    beforeAll(async () => {
      brokers = (await sharedTestKafka()).brokers.join();
      const kafka = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING });
      admin = kafka.admin();
      await admin.connect();
      [topic, into] = [`${randomUUID()}.source`, `${randomUUID()}.target`];
      await admin.createTopics({ waitForLeaders: true, topics: [topic, into].map((name) => ({ topic: name, numPartitions: 3 })) });
      const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
      await producer.connect();
      const messages = Array.from({ length: RECORDS }, (_, index) => ({
        key: `${workspaces[index % 2]}:${index}`,
        value: 'x'.repeat(200),
      }));
      for (let start = 0; start < RECORDS; start += 5_000) await producer.send({ topic, messages: messages.slice(start, start + 5_000) });
      await producer.disconnect();
    }, KAFKA_START_TIMEOUT_MS);
    afterAll(async () => {
      await admin.disconnect();
      rmSync(directory, { recursive: true });
    });

    const countOf = async (name: string): Promise<number> =>
      (await admin.fetchTopicOffsets(name)).reduce((sum, { high }) => sum + Number(high), 0);

    it('copies one workspace, is stopped by a signal, and continues from its file', async () => {
      const state = join(directory, 'state');
      const parameters = [topic, ...FROM, '--into', into, '--workspace', workspaces[0], '--state', state];
      const first = run(parameters, { KAFKA_BROKERS: brokers });
      await first.untilOutput(/\d+ records copied, \d+ left to read/);
      const end = await first.kill('SIGINT');
      if (end !== 0) {
        expect({ end, output: first.output }).toEqual({
          end: 130,
          output: expect.stringContaining('run the command again with --state') as string,
        });
        expect(JSON.parse(readFileSync(state, 'utf8'))).toHaveProperty('command');
      }

      const { end: ended, output } =
        end === 0 ? { end, output: first.output } : await outcomeOf([...parameters, '--json'], { KAFKA_BROKERS: brokers });

      expect(ended).toBe(0);
      expect(output).toMatch(end === 0 ? /copied into/ : /"complete":true/);
      expect(existsSync(state)).toBe(false);
      expect(await countOf(into)).toBe(RECORDS / 2);
    });

    it('names topics and groups that do not exist', async () => {
      const environment = { KAFKA_BROKERS: brokers };
      const reasons = [
        [['absent', ...FROM, '--into', into], 'There is no topic absent'],
        [[topic, ...FROM, '--into', 'absent'], 'There is no topic absent: create it first'],
        [[topic, ...FROM, '--into', topic], 'is the source'],
        [[topic, ...FROM, '--group', 'absent'], 'There is no group absent'],
      ] as const;
      for (const [parameters, reason] of reasons)
        await expect(outcomeOf([...parameters], environment)).resolves.toEqual({
          end: 1,
          output: expect.stringContaining(reason) as string,
        });
    });
  });
});
