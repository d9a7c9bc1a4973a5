import { ServiceError } from '@tidings/contracts/core/errors';
import { openDataSource } from '@tidings/persistence/data-source';
import { createTestDatabase } from '@tidings/testing/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { retryUntilAvailable } from './retry-until-available';

function recordedLog() {
  const lines: string[] = [];
  const record = (line: unknown): void => void lines.push(String(line));
  return { lines, log: record, warn: record, error: record };
}

/** Fails with `errors` one after the other, then succeeds. */
function failing(...errors: Error[]): () => Promise<string> {
  return async () => {
    const error = errors.shift();
    if (error) throw error;
    return 'done';
  };
}

const unavailable = (message: string): Error => new ServiceError('unavailable', message);

describe('retryUntilAvailable', () => {
  it('retries until the dependency is available, and logs each reason once', async () => {
    const logger = recordedLog();
    const states: string[] = [];
    const { signal } = new AbortController();

    const result = retryUntilAvailable('Kafka', failing(unavailable('refused'), unavailable('refused'), unavailable('no leader')), {
      signal,
      logger,
      onWait: (state) => states.push(state),
    });

    expect(await result).toBe('done');
    expect(logger.lines).toEqual(['Waiting for Kafka: refused', 'Waiting for Kafka: no leader', 'Kafka is available']);
    expect(states).toHaveLength(3);
  });

  it('warns of what takes longer than a usual start', async () => {
    let now = 0;
    const lines: string[] = [];
    const write = (level: string) => (line: unknown) => void lines.push(`${level} ${String(line)}`);
    const refused = failing(unavailable('refused'), unavailable('refused'), unavailable('refused'));

    await retryUntilAvailable('Kafka', () => ((now += 12_000), refused()), {
      signal: new AbortController().signal,
      logger: { log: write('log'), warn: write('warn'), error: write('error') },
      timers: { now: () => now },
    });

    expect(lines).toEqual(['log Waiting for Kafka: refused', 'warn Waiting for Kafka: refused', 'log Kafka is available']);
  });

  it('does not log a secret of the reason', async () => {
    const logger = recordedLog();
    const attempt = failing(unavailable('no route to postgres://ada:hunter2@db/x'));
    await retryUntilAvailable('PostgreSQL', attempt, { signal: new AbortController().signal, logger });

    expect(logger.lines.join()).not.toContain('hunter2');
  });

  it('does not retry an error that is not transient', async () => {
    const attempt = failing(new Error('topic x is compacted'));
    const waiting = retryUntilAvailable('Kafka', attempt, { signal: new AbortController().signal, logger: recordedLog() });

    await expect(waiting).rejects.toThrow('topic x is compacted');
  });

  it('ends at once when it is interrupted, also during an attempt', async () => {
    const interrupted = new AbortController();
    const waiting = retryUntilAvailable('Kafka', () => new Promise<void>(() => {}), { signal: interrupted.signal, logger: recordedLog() });
    interrupted.abort(new Error('The process is ending'));

    await expect(waiting).rejects.toThrow('The process is ending');
  });

  it('rejects with the last reason after its timeout', async () => {
    const always = (): Promise<never> => Promise.reject(unavailable('refused'));
    const waiting = retryUntilAvailable('PostgreSQL', always, {
      signal: new AbortController().signal,
      logger: recordedLog(),
      timeoutMs: 600,
    });

    await expect(waiting).rejects.toThrow('refused');
  });

  it('recognises a transient error by its cause', async () => {
    const attempt = failing(new Error('Schema "identity" could not be migrated', { cause: unavailable('The database cannot be reached') }));
    const waiting = retryUntilAvailable('PostgreSQL', attempt, { signal: new AbortController().signal, logger: recordedLog() });

    expect(await waiting).toBe('done');
  });

  it.each([new Error('syntax error at or near "tabel"'), undefined])('does not treat every error as transient: %p', async (error) => {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- any value can be thrown
    const waiting = retryUntilAvailable('PostgreSQL', () => Promise.reject(error), {
      signal: new AbortController().signal,
      logger: recordedLog(),
    });

    await expect(waiting).rejects.toBe(error);
  });

  it('does not retry a canceled migration', async () => {
    const database = await createTestDatabase();
    let attempts = 0;
    const waiting = retryUntilAvailable(
      'PostgreSQL',
      () => {
        attempts += 1;
        return openDataSource({
          databaseUrl: database.urlOf('identity'),
          schema: 'identity',
          entities: [],
          migrations: [Canceled1795219200000],
        });
      },
      { signal: new AbortController().signal, logger: recordedLog(), timeoutMs: 60_000 },
    );

    await expect(waiting).rejects.toThrow('canceling statement');
    expect(attempts).toBe(1);
    await database.drop();
  });
});

/** A migration whose statement is canceled while it runs, as by `pg_cancel_backend`. */
class Canceled1795219200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('SELECT pg_cancel_backend(pg_backend_pid()), pg_sleep(5)');
  }

  async down(): Promise<void> {}
}
