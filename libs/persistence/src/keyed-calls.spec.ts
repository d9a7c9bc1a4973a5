import { randomUUID } from 'node:crypto';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { KEY_RETENTION_MS_MIN, type StoredOutcome } from '@tidings/contracts/core/idempotency';
import { waitUntil } from '@tidings/testing/wait-until';
import { type Notebook, openNotebook } from './database.fixture';
import { KeyedNotebook, request } from './keyed-calls.fixture';

describe('calls under a key', () => {
  let notebook: Notebook;
  let keyed: KeyedNotebook;

  beforeAll(async () => {
    notebook = await openNotebook();
    keyed = await KeyedNotebook.over(notebook);
  });
  afterEach(() => {
    keyed.aheadMs = 0;
    notebook.proxy.cutAt(undefined, 'before');
    notebook.proxy.setReachable(true);
  });
  afterAll(() => notebook.close());

  const newKey = (): string => randomUUID();
  const ok = (answer: unknown, replayed: boolean): StoredOutcome => ({ outcome: { ok: answer }, replayed });

  it('have one effect, and the first answer for all', async () => {
    const key = newKey();

    expect(await keyed.write(request(), key, 'first')).toEqual(ok({ written: 'first' }, false));
    expect(await keyed.write(request(), key, 'first')).toEqual(ok({ written: 'first' }, true));
    expect(await keyed.write(request(), key, 'something else')).toEqual(ok({ written: 'first' }, true));

    expect([await keyed.count('first'), await keyed.count('something else')]).toEqual([1, 0]);
  });

  describe('with a body', () => {
    const write = (key: string, bodyHash: string | undefined, note: string): Promise<StoredOutcome> =>
      keyed.answer(request(), key, keyed.writing(note), { bodyHash });
    const refusal = (after: number): object => ({
      code: 'key_reused',
      message: expect.stringContaining(`first used at ${new Date(after).toISOString().slice(0, 'YYYY-MM-DDThh'.length)}`) as string,
    });

    it('are refused when it is another one than the first, with the time of that, and have no effect', async () => {
      const key = newKey();
      const now = Date.now();
      await write(key, 'one', 'body.1');

      await expect(write(key, 'other', 'body.2')).rejects.toMatchObject(refusal(now));

      expect(await write(key, 'one', 'body.3')).toEqual(ok({ written: 'body.1' }, true));
      expect(await keyed.count('body')).toBe(1);
    });

    it('are refused with another one while the first is in flight, died, or committed without an answer', async () => {
      const [open, committed] = [newKey(), newKey()];
      void keyed.answer(request(), open, () => new Promise(() => {}), { bodyHash: 'one' });
      const died = new Promise<void>((end) => {
        const dying = async (context: CallContext): Promise<unknown> => {
          await keyed.writing('bodies.1')(context);
          end();
          return new Promise(() => {});
        };
        void keyed.answer(request(), committed, dying, { bodyHash: 'one' });
      });
      await died;
      await waitUntil(async () => (await keyed.records.find({ workspaceId: request().workspaceId, id: open, callId: '' })) !== undefined);

      for (const key of [open, committed]) {
        await expect(write(key, 'other', 'bodies.2')).rejects.toMatchObject({ code: 'key_reused' });
        await keyed.endLease(key);
        await expect(write(key, 'other', 'bodies.3')).rejects.toMatchObject({ code: 'key_reused' });
      }

      expect(await keyed.count('bodies')).toBe(1);
      expect(await write(committed, 'one', 'bodies.4')).toEqual(ok({ written: 'bodies.1' }, true));
    });

    it('may have another one after a refusal that stored nothing, and after the key has expired', async () => {
      const key = newKey();
      const refused = new ServiceError('invalid_request', 'Not like this');
      await expect(keyed.answer(request(), key, () => Promise.reject(refused), { bodyHash: 'one' })).rejects.toBe(refused);

      expect(await write(key, 'other', 'mended')).toEqual(ok({ written: 'mended' }, false));
      keyed.aheadMs = KEY_RETENTION_MS_MIN + 60_000;
      expect(await write(key, 'third', 'third')).toEqual(ok({ written: 'third' }, false));
      await expect(write(key, 'other', 'mended')).rejects.toMatchObject({ code: 'key_reused' });
    });

    it('replay the record of an earlier version for any body, and answer its gateways for any record', async () => {
      const [earlier, present] = [newKey(), newKey()];
      await write(earlier, undefined, 'earlier');
      await keyed.database.query('UPDATE idempotency_keys SET requested_at = NULL WHERE id = $1', [earlier]);
      await write(present, 'one', 'present');

      expect(await write(earlier, 'any', 'any')).toEqual(ok({ written: 'earlier' }, true));
      expect(await write(present, undefined, 'any')).toEqual(ok({ written: 'present' }, true));
      expect(await keyed.count('any')).toBe(0);
    });
  });

  it('have one effect when fifty arrive at once; unanswered ones get a retryable conflict', async () => {
    const key = newKey();

    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, (_, n) => keyed.write(request(), key, `together.${n}`)));

    const answers = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(new Set(answers.map(({ outcome }) => JSON.stringify(outcome))).size).toBe(1);
    for (const one of outcomes) {
      if (one.status === 'rejected')
        expect(one.reason).toMatchObject({ code: 'conflict', hints: { shouldRetry: true, retryAfterSeconds: 2 } });
    }
    expect(await keyed.count('together')).toBe(1);
    expect((await keyed.write(request(), key, 'together.late')).replayed).toBe(true);
  });

  it('replay the first answer unchanged, character by character', async () => {
    const key = newKey();
    const answer = { z: 1, a: [null, 'ü 😀', 1.5e-7], '10': { b: 2, a: 1 } };
    await keyed.write(request(), key, 'identical', answer);

    const { outcome } = await keyed.write(request(), key, 'identical');

    expect(JSON.stringify(outcome)).toBe(JSON.stringify({ ok: answer }));
  });

  it('replay an empty answer, also without a write', async () => {
    const [silent, idle] = [newKey(), newKey()];
    const work = jest.fn(() => Promise.resolve(undefined));

    expect([await keyed.write(request(), silent, 'silent', undefined), await keyed.answer(request(), idle, work)]).toEqual([
      ok({ written: 'silent' }, false),
      ok(null, false),
    ]);
    expect(await keyed.answer(request(), idle, work)).toEqual(ok(null, true));
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('are separate in each workspace', async () => {
    const key = newKey();
    await keyed.write(request(randomUUID()), key, 'mine');

    expect(await keyed.write(request(randomUUID()), key, 'theirs')).toEqual(ok({ written: 'theirs' }, false));
  });

  it.each(['not_found', 'conflict', 'payment_required'] as const)('store %s with its message and hints, and no effect', async (code) => {
    const key = newKey();
    const error = new ServiceError(code, 'Not like this', { shouldRetry: false });
    const failing = keyed.answer(request(), key, (context) =>
      keyed.calls.once(context, async (tx) => {
        await tx.query('INSERT INTO note (id) VALUES ($1)', [`failed ${code}`]);
        throw error;
      }),
    );
    await expect(failing).rejects.toBe(error);

    expect(await keyed.write(request(), key, `failed ${code}`)).toEqual({
      outcome: { error: { code, message: 'Not like this', shouldRetry: false } },
      replayed: true,
    });
    expect(await keyed.count(`failed ${code}`)).toBe(0);
  });

  it('store an internal error without its cause', async () => {
    const key = newKey();
    await expect(keyed.answer(request(), key, () => Promise.reject(new Error('password=secret')))).rejects.toThrow('password');

    const { outcome } = await keyed.write(request(), key, 'broken');

    expect(outcome).toMatchObject({ error: { code: 'internal' } });
    expect(await keyed.stored(key)).not.toContain('secret');
    expect(await keyed.count('broken')).toBe(0);
  });

  it.each(['invalid_request', 'forbidden', 'rate_limited', 'not_served', 'unavailable', 'deadline_exceeded'] as const)(
    'store nothing after %s: the next request may succeed',
    async (code) => {
      const key = newKey();
      const refused = keyed.answer(request(), key, () => Promise.reject(new ServiceError(code, 'Not now')));
      await expect(refused).rejects.toMatchObject({ code });
      expect(await keyed.stored(key)).toBe('');

      expect(await keyed.write(request(), key, `after ${code}`)).toEqual(ok({ written: `after ${code}` }, false));
    },
  );

  it('are refused while one is in flight; the next one runs when that one died before its effect', async () => {
    const key = newKey();
    void keyed.answer(request(), key, () => new Promise(() => {})); // as if its process died
    await waitUntil(async () => (await keyed.records.find({ workspaceId: request().workspaceId, id: key, callId: '' })) !== undefined);

    await expect(keyed.write(request(), key, 'orphan')).rejects.toMatchObject({ code: 'conflict', hints: { shouldRetry: true } });

    await keyed.endLease(key);
    const next = await keyed.write(request(), key, 'orphan');
    expect(next).toEqual(ok({ written: 'orphan' }, false));
    expect(await keyed.count('orphan')).toBe(1);
  });

  it('do not repeat an effect committed by a call that died before it answered', async () => {
    const key = newKey();
    const died = new Promise<void>((committed) => {
      void keyed.answer(request(), key, async (context) => {
        await keyed.writing('committed')(context);
        committed();
        return new Promise(() => {});
      });
    });
    await died;

    await expect(keyed.write(request(), key, 'committed')).rejects.toMatchObject({ code: 'conflict' });

    await keyed.endLease(key);
    const next = await keyed.write(request(), key, 'committed');

    expect(next).toEqual(ok({ written: 'committed' }, true));
    expect(await keyed.count('committed')).toBe(1);
    expect(await keyed.write(request(), key, 'committed')).toEqual(next);
  });

  it.each(['before', 'after'] as const)('have one effect when the connection broke %s the commit', async (when) => {
    const key = newKey();
    notebook.proxy.cutAt('COMMIT', when);
    const first = await keyed.write(request(), key, `cut ${when}`).catch((error: unknown) => error);
    notebook.proxy.cutAt(undefined, when);

    const next = await waitUntil(() => keyed.write(request(), key, `cut ${when}`));

    expect(next.outcome).toEqual({ ok: { written: `cut ${when}` } });
    expect(await keyed.count(`cut ${when}`)).toBe(1);
    if (when === 'before') expect(first).toMatchObject({ code: 'unavailable' });
  });

  it('have one effect when a slow call is overtaken; both get the committed call’s answer', async () => {
    const key = newKey();
    let finish: (() => void) | undefined;
    const slow = keyed.answer(request(), key, (context) =>
      keyed.calls.once(context, async (tx) => {
        await tx.query('INSERT INTO note (id) VALUES ($1)', ['overtaken.slow']);
        await new Promise<void>((resolve) => (finish = resolve));
        return { written: 'slow' };
      }),
    );
    await waitUntil(() => finish, { what: 'the slow call to be running' });
    await keyed.endLease(key);
    const quick = await keyed.write(request(), key, 'overtaken.quick');
    finish!();

    expect(quick).toEqual(ok({ written: 'overtaken.quick' }, false));
    expect(await slow).toEqual(ok({ written: 'overtaken.quick' }, true));
    expect(await keyed.count('overtaken')).toBe(1);
  });

  it('run at once when the transport delivers them twice, and do not count as repetition', async () => {
    const [key, context] = [newKey(), request()];
    void keyed.answer(context, key, () => new Promise(() => {}));
    await waitUntil(async () => (await keyed.records.find({ workspaceId: context.workspaceId, id: key, callId: '' })) !== undefined);

    expect(await keyed.write(context, key, 'delivered')).toEqual(ok({ written: 'delivered' }, false));
    expect(await keyed.write(context, key, 'delivered')).toEqual(ok({ written: 'delivered' }, false));
    expect(await keyed.count('delivered')).toBe(1);
  });

  it('do not run while the database is unavailable', async () => {
    const key = newKey();
    const work = jest.fn(() => Promise.resolve());
    notebook.proxy.setReachable(false);
    await waitUntil(() => notebook.pool.totalCount === 0, { what: 'the pool to notice' });

    await expect(keyed.answer(request(), key, work)).rejects.toMatchObject({ code: 'unavailable' });

    expect(work).not.toHaveBeenCalled();
  });

  it('are replayed for the requested time, and run again afterwards', async () => {
    const [day, week] = [newKey(), newKey()];
    await keyed.write(request(), day, 'day.1');
    await keyed.answer(request(), week, keyed.writing('week.1'), { retainedMs: 7 * KEY_RETENTION_MS_MIN });
    // The time a later call requests has no effect.
    await keyed.answer(request(), day, keyed.writing('day.2'), { retainedMs: 7 * KEY_RETENTION_MS_MIN });

    keyed.aheadMs = KEY_RETENTION_MS_MIN + 60_000;

    expect(await keyed.write(request(), day, 'day.3')).toEqual(ok({ written: 'day.3' }, false));
    expect(await keyed.write(request(), week, 'week.2')).toEqual(ok({ written: 'week.1' }, true));
  });

  it('are removed when they have expired, also unfinished ones', async () => {
    const [ended, open, longer] = [newKey(), newKey(), newKey()];
    await keyed.write(request(), ended, 'expired');
    await keyed.answer(request(), longer, keyed.writing('not expired'), { retainedMs: 7 * KEY_RETENTION_MS_MIN });
    void keyed.answer(request(), open, () => new Promise(() => {}));
    const present = async (): Promise<string[]> =>
      (await keyed.database.query<{ id: string }>('SELECT id FROM idempotency_keys WHERE id = ANY ($1)', [[ended, open, longer]])).map(
        ({ id }) => id,
      );
    await waitUntil(async () => (await present()).length === 3);

    keyed.aheadMs = KEY_RETENTION_MS_MIN + 60_000;

    expect(await keyed.records.removeExpired()).toBeGreaterThanOrEqual(2);
    expect(await present()).toEqual([longer]);
  });

  describe('with a secret answer', () => {
    const issue = (key: string, secrets: string[], context = request()): Promise<StoredOutcome> =>
      keyed.answer(
        context,
        key,
        async (own) => {
          const { serial } = await keyed.calls.drawOnce(own, () => ({ serial: randomUUID() }));
          secrets.push(`secret of ${serial}`);
          return { token: secrets.at(-1) };
        },
        { secret: true },
      );

    it('make it again from the stored effect, which does not contain the secret', async () => {
      const key = newKey();
      const secrets: string[] = [];

      const [first, second] = [await issue(key, secrets), await issue(key, secrets)];

      expect([first.replayed, second.replayed]).toEqual([false, true]);
      expect(second.outcome).toEqual(first.outcome);
      expect(secrets).toHaveLength(2);
      expect(await keyed.stored(key)).toContain('serial');
      expect(await keyed.stored(key)).not.toContain('secret of');
    });

    it('are retained for the time the first one requested', async () => {
      const key = newKey();
      const secrets: string[] = [];
      const first = await issue(key, secrets);
      keyed.aheadMs = KEY_RETENTION_MS_MIN - 60_000;
      expect((await issue(key, secrets)).outcome).toEqual(first.outcome);

      keyed.aheadMs = KEY_RETENTION_MS_MIN + 60_000;

      const next = await issue(key, secrets);
      expect(next.replayed).toBe(false);
      expect(next.outcome).not.toEqual(first.outcome);
    });
  });
});
