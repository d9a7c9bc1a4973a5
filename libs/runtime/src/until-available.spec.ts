import { ServiceError } from '@tidings/contracts/core/errors';
import { isPassing, untilAvailable } from './until-available';

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

    const result = untilAvailable('Kafka', failing(away('refused'), away('refused'), away('no leader')), {
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
    await untilAvailable('PostgreSQL', attempt, { signal: new AbortController().signal, logger });

    expect(logger.lines.join()).not.toContain('hunter2');
  });

  it('does not wait for what waiting does not cure', async () => {
    const attempt = failing(new Error('topic x is compacted'));
    const waiting = untilAvailable('Kafka', attempt, { signal: new AbortController().signal, logger: recordedLog() });

    await expect(waiting).rejects.toThrow('topic x is compacted');
  });

  it('ends at once when it is interrupted, in the middle of an attempt as well', async () => {
    const interrupted = new AbortController();
    const waiting = untilAvailable('Kafka', () => new Promise<void>(() => {}), { signal: interrupted.signal, logger: recordedLog() });
    interrupted.abort(new Error('The process is ending'));

    await expect(waiting).rejects.toThrow('The process is ending');
  });

  it('gives up after its time, with the last reason', async () => {
    const always = (): Promise<never> => Promise.reject(away('refused'));
    const waiting = untilAvailable('PostgreSQL', always, {
      signal: new AbortController().signal,
      logger: recordedLog(),
      timeoutMs: 600,
    });

    await expect(waiting).rejects.toThrow('refused');
  });

  it('knows a passing trouble by its cause', () => {
    const wrapped = new Error('Schema "identity" could not be migrated', { cause: away('The database cannot be reached') });
    expect(isPassing(wrapped)).toBe(true);
    expect(isPassing(new Error('syntax error at or near "tabel"'))).toBe(false);
    expect(isPassing(undefined)).toBe(false);
  });
});
