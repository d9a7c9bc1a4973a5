import '@tidings/testing/quiet';
import { Logger } from '@nestjs/common';
import { unavailable } from '@tidings/contracts/core/errors';
import { WorkTimes } from '@tidings/jobs/work-times';
import type { Database } from '@tidings/persistence/database';
import { systemClock } from '@tidings/runtime/clock';
import { waitUntil } from '@tidings/testing/wait-until';
import { OpenMessagesNotifier } from '../record/notifiers';
import type { HistoryPublisher } from '../publish/history-publisher';
import { TokenReporter } from './token-reporter';
import type { Conclusion } from './conclude';
import type { Suppressions } from '../suppressions/suppressions';
import { OutcomeWriter } from './outcome-writer';

const ATTEMPTS = 4;
/** Outcomes of one batch. */
const BATCH = 64;
const FINAL = { kind: 'final', outcome: { record: {}, events: [] } } as unknown as Conclusion;

function writerOn(database: Database, suppressions: Pick<Suppressions, 'suppress'> = null!): OutcomeWriter {
  const publisher = { committed: () => undefined } as unknown as HistoryPublisher;
  const times = new WorkTimes({ retryMs: 10 });
  return new OutcomeWriter(
    database,
    publisher,
    systemClock,
    new OpenMessagesNotifier(),
    new TokenReporter(database, null!),
    null!,
    times,
    suppressions as Suppressions,
    null!,
  );
}

describe('outcomes while the database is unavailable', () => {
  it('are retried until they are written, with one warning for all attempts', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn');
    let attempts = 0;
    const database = {
      query: () => (++attempts < ATTEMPTS ? Promise.reject(unavailable('The database is unavailable')) : Promise.resolve([])),
    } as unknown as Database;

    await writerOn(database).write(FINAL);

    const lines = warn.mock.calls.map(([line]) => String(line));
    warn.mockRestore();
    expect(attempts).toBe(ATTEMPTS);
    expect(lines).toEqual(['Outcomes of 1 attempts not written yet; retrying: The database is unavailable']);
  });
});

it('reports a bounce once, however often its outcome is written', async () => {
  let attempts = 0;
  const database = {
    query: () => (++attempts < ATTEMPTS ? Promise.reject(unavailable('The database is unavailable')) : Promise.resolve([])),
    transaction: (work: (tx: null) => Promise<void>) => work(null),
  } as unknown as Database;
  const suppress = jest.fn(() => Promise.resolve(false));

  await writerOn(database, { suppress }).write({ ...FINAL, bounce: {} } as unknown as Conclusion);

  expect(attempts).toBe(ATTEMPTS);
  expect(suppress).toHaveBeenCalledTimes(1);
});

it('writes a full batch that arrives the moment another outcome is written', async () => {
  const writer = writerOn({ query: () => Promise.resolve([]) } as unknown as Database);
  let written = 0;

  await writer.write(FINAL);
  for (let count = 0; count < BATCH; count++) void writer.write(FINAL).then(() => (written += 1));

  await waitUntil(() => written === BATCH, { what: 'every outcome', timeoutMs: 10_000 });
});
