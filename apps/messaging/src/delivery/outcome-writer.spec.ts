import '@tidings/testing/quiet';
import { Logger } from '@nestjs/common';
import { unavailable } from '@tidings/contracts/core/errors';
import type { Database } from '@tidings/persistence/database';
import { systemClock } from '@tidings/runtime/clock';
import { waitUntil } from '@tidings/testing/wait-until';
import { OpenMessagesNotifier } from '../routing/open-messages-notifier';
import type { HistoryPublisher } from '../publishing/history-publisher';
import { WorkTimes } from '../store/work-times';
import { TokenReporter } from '../tokens/token-reporter';
import type { Conclusion } from './conclude';
import { OutcomeWriter } from './outcome-writer';

const TRIES = 4;
/** As many as are written at once. */
const BATCH = 64;
const FINAL = { kind: 'final', outcome: { record: {}, events: [] } } as unknown as Conclusion;

function writerOn(database: Database): OutcomeWriter {
  const publisher = { committed: () => undefined } as unknown as HistoryPublisher;
  const times = new WorkTimes({ retryMs: 10 });
  return new OutcomeWriter(database, publisher, systemClock, new OpenMessagesNotifier(), new TokenReporter(database, null!), times);
}

describe('outcomes while the database is away', () => {
  it('wait, are said to wait once and not at every try, and are written in the end', async () => {
    const said = jest.spyOn(Logger.prototype, 'warn');
    let tries = 0;
    const database = {
      query: () => (++tries < TRIES ? Promise.reject(unavailable('The database is away')) : Promise.resolve([])),
    } as unknown as Database;

    await writerOn(database).write(FINAL);

    const lines = said.mock.calls.map(([line]) => String(line));
    said.mockRestore();
    expect(tries).toBe(TRIES);
    expect(lines).toEqual(['Outcomes of 1 attempts wait to be written: The database is away']);
  });
});

it('outcomes that come the moment another one is written are written, however many they are', async () => {
  const writer = writerOn({ query: () => Promise.resolve([]) } as unknown as Database);
  let written = 0;

  await writer.write(FINAL);
  for (let count = 0; count < BATCH; count++) void writer.write(FINAL).then(() => (written += 1));

  await waitUntil(() => written === BATCH, { what: 'every outcome', timeoutMs: 10_000 });
});
