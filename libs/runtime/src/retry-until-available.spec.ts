import { ServiceError } from '@tidings/contracts/core/errors';
import { openDataSource } from '@tidings/persistence/data-source';
import { createTestDatabase } from '@tidings/testing/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { retryUntilAvailable } from './retry-until-available';

function recordedLog() {
  const lines: string[] = [];
  const keep = (line: unknown): void => void lines.push(String(line));
  return { lines, log: keep, warn: keep, error: keep };
}

/** Fails with `errors` one after the other, then succeeds. */
function failing(...errors: Error[]): () => Promise<string> {
  return async () => {
    const error = errors.shift();
    if (error) throw error;
    return 'done';
  };
}

const away = (message: string): Error => new ServiceError('unavailable', message);

describe('waiting for what a start needs', () => {
  it('goes on until it is there, and says each reason once', async () => {
    const logger = recordedLog();
    const states: string[] = [];
    const { signal } = new AbortController();

    const result = retryUntilAvailable('Kafka', failing(away('refused'), away('refused'), away('no leader')), {
      signal,
      logger,
      onWait: (state) => states.push(state),
    });

    expect(await result).toBe('done');
    expect(logger.lines).toEqual(['Waiting for Kafka: refused', 'Waiting for Kafka: no leader', 'Kafka is there']);
    expect(states).toHaveLength(3);
  });

  it('does not show a secret of the reason', async () => {
    const logger = recordedLog();
    const attempt = failing(away('no route to postgres://ada:hunter2@db/x'));
    await retryUntilAvailable('PostgreSQL', attempt, { signal: new AbortController().signal, logger });

    expect(logger.lines.join()).not.toContain('hunter2');
  });

  it('does not wait for what waiting does not cure', async () => {
    const attempt = failing(new Error('topic x is compacted'));
    const waiting = retryUntilAvailable('Kafka', attempt, { signal: new AbortController().signal, logger: recordedLog() });

    await expect(waiting).rejects.toThrow('topic x is compacted');
  });

  it('ends at once when it is interrupted, in the middle of an attempt as well', async () => {
    const interrupted = new AbortController();
    const waiting = retryUntilAvailable('Kafka', () => new Promise<void>(() => {}), { signal: interrupted.signal, logger: recordedLog() });
    interrupted.abort(new Error('The process is ending'));

    await expect(waiting).rejects.toThrow('The process is ending');
  });

  it('gives up after its time, with the last reason', async () => {
    const always = (): Promise<never> => Promise.reject(away('refused'));
    const waiting = retryUntilAvailable('PostgreSQL', always, {
      signal: new AbortController().signal,
      logger: recordedLog(),
      timeoutMs: 600,
    });

    await expect(waiting).rejects.toThrow('refused');
  });

  it('knows a passing trouble by its cause', async () => {
    const attempt = failing(new Error('Schema "identity" could not be migrated', { cause: away('The database cannot be reached') }));
    const waiting = retryUntilAvailable('PostgreSQL', attempt, { signal: new AbortController().signal, logger: recordedLog() });

    expect(await waiting).toBe('done');
  });

  it.each([new Error('syntax error at or near "tabel"'), undefined])(
    'does not take everything for a passing trouble: %p',
    async (error) => {
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- whatever is thrown
      const waiting = retryUntilAvailable('PostgreSQL', () => Promise.reject(error), {
        signal: new AbortController().signal,
        logger: recordedLog(),
      });

      await expect(waiting).rejects.toBe(error);
    },
  );

  it('does not begin a migration again that somebody canceled', async () => {
    const database = await createTestDatabase();
    let begun = 0;
    const waiting = retryUntilAvailable(
      'PostgreSQL',
      () => {
        begun += 1;
        return openDataSource({
          databaseUrl: database.urlOf('identity'),
          schema: 'identity',
          entities: [],
          migrations: [Canceled1795219200000],
        });
      },
      { signal: new AbortController().signal, logger: recordedLog(), timeoutMs: 2_000 },
    );

    await expect(waiting).rejects.toThrow('canceling statement');
    expect(begun).toBe(1);
    await database.drop();
  });
});

/** A migration during which somebody cancels its statement, as `pg_cancel_backend` does. */
class Canceled1795219200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('SELECT pg_cancel_backend(pg_backend_pid()), pg_sleep(5)');
  }

  async down(): Promise<void> {}
}
