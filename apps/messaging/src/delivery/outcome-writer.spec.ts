import '@tidings/testing/quiet';
import { Logger } from '@nestjs/common';
import { unavailable } from '@tidings/contracts/core/errors';
import type { Database } from '@tidings/persistence/database';
import { systemClock } from '@tidings/runtime/clock';
import { OpenMessagesBell } from '../routing/open-messages-bell';
import type { HistoryPublisher } from '../publishing/history-publisher';
import { WorkTimes } from '../store/work-times';
import { TokenReporter } from '../tokens/token-reporter';
import type { Conclusion } from './conclude';
import { OutcomeWriter } from './outcome-writer';

const TRIES = 4;

describe('outcomes while the database is away', () => {
  it('wait, are said to wait once and not at every try, and are written in the end', async () => {
    const said = jest.spyOn(Logger.prototype, 'warn');
    let tries = 0;
    const database = {
      query: () => (++tries < TRIES ? Promise.reject(unavailable('The database is away')) : Promise.resolve([])),
    } as unknown as Database;
    const publisher = { committed: () => undefined } as unknown as HistoryPublisher;
    const tokens = new TokenReporter(database, null!);
    const times = new WorkTimes({ retryMs: 10 });
    const writer = new OutcomeWriter(database, publisher, systemClock, new OpenMessagesBell(), tokens, times);

    await writer.write({ kind: 'final', outcome: { record: {}, events: [] } } as unknown as Conclusion);

    const lines = said.mock.calls.map(([line]) => String(line));
    said.mockRestore();
    expect(tries).toBe(TRIES);
    expect(lines).toEqual(['Outcomes of 1 attempts wait to be written: The database is away']);
  });
});
