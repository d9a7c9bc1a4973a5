import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { ADA, attempt, cleanUp, cleanUps, open, SMS } from './receiver.fixture';

const PROGRAM = path.join(__dirname, '../../../../examples/http-provider/receive.mjs');
const SECRET = 'the secret of the example';

/** Starts the example program. */
async function startExample(): Promise<{ url: string; nextLine: () => Promise<string> }> {
  const program: ChildProcess = spawn(process.execPath, [PROGRAM, '--port', '0'], {
    env: { ...process.env, RECEIVER_SECRET: SECRET },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  cleanUps.push(async () => {
    const exited = once(program, 'exit');
    program.kill();
    await exited;
  });
  const lines: Interface = createInterface({ input: program.stdout! });
  const iterator = lines[Symbol.asyncIterator]();
  const nextLine = async (): Promise<string> => String((await iterator.next()).value);
  const [url = ''] = /http:\S+/.exec(await nextLine()) ?? [];
  return { url, nextLine };
}

afterEach(cleanUp);

it('accepts requests signed with its secret, and handles repeats once', async () => {
  const { url, nextLine } = await startExample();
  const provider = open(url, { secret: SECRET });

  const first = await provider.send(SMS, ADA, attempt());
  const again = await provider.send(SMS, ADA, attempt({ number: 2 }));
  await provider.send(SMS, ADA, attempt({ messageId: '1-another', idempotencyKey: '1-another.0' }));

  expect(first).toMatchObject({ kind: 'accepted', delivered: true, reference: { id: `example-${attempt().messageId}` } });
  expect(again).toEqual(first);
  const delivered = [await nextLine(), await nextLine()].map((line) => (JSON.parse(line) as { message_id: string }).message_id);
  expect(delivered).toEqual([attempt().messageId, '1-another']);
});

it('refuses other requests, and names an invalid phone number', async () => {
  const { url } = await startExample();

  expect(await open(url).send(SMS, ADA, attempt())).toMatchObject({ kind: 'failed', cause: 'configuration' });
  expect(await open(url, { secret: SECRET }, { now: () => Date.now() - 3_600_000 }).send(SMS, ADA, attempt())).toMatchObject({
    cause: 'configuration',
  });
  const wrong = { channel: 'sms', phone_number: 'call me' } as const;
  expect(await open(url, { secret: SECRET }).send(SMS, wrong, attempt())).toMatchObject({
    kind: 'failed',
    cause: 'recipient',
    error: 'The receiver answered 422: call me is no phone number',
  });
});
