import '@tidings/testing/quiet';
import { Logger } from '@nestjs/common';
import { unavailable } from '@tidings/contracts/core/errors';
import type { Database } from '@tidings/persistence/database';
import type { HistoryPublisher } from '../publishing/history-publisher';
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
    const writer = new OutcomeWriter(database, { committed: () => undefined } as unknown as HistoryPublisher);

    await writer.write({ kind: 'final', outcome: {} } as Conclusion);

    const lines = said.mock.calls.map(([line]) => String(line));
    said.mockRestore();
    expect(tries).toBe(TRIES);
    expect(lines).toEqual(['Outcomes of 1 attempts wait to be written: The database is away']);
  });
});
