import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { DeadLetterRecord, DeadLetterSummary } from '@tidings/contracts/core/dead-letters';
import type { AuditEvent } from '@tidings/contracts/identity/audit-events';
import { profileChanged } from '@tidings/contracts/identity/events';
import { messageRequested } from '@tidings/contracts/messaging/events';
import type { EventLog } from '@tidings/events/event-log';
import { waitUntil } from '@tidings/testing/wait-until';
import { SharedSystem } from './testing/shared-system';

const COMMAND = path.resolve(__dirname, '../../../bin/tidings.mjs');
const { topic: PROFILES } = profileChanged;
const { topic: REQUESTS } = messageRequested;
/** More than ten pages. */
const MANY = 1_000;

describe('dead letters', () => {
  let system: SharedSystem;
  let log: EventLog;

  beforeAll(async () => {
    system = await SharedSystem.join();
    log = await system.openLog();
  });
  afterAll(() => system?.leave());

  interface Ended {
    code: number;
    out: string;
    err: string;
  }

  /** Runs `tidings dead-letters …`. @param endsAfter ends the process once its notes contain this. */
  const tidings = (args: string[], endsAfter?: string): Promise<Ended> =>
    new Promise((resolve) => {
      const env = { ...process.env, TIDINGS_URL: system.url, TIDINGS_ADMIN_KEY: system.adminKey };
      const child = execFile(process.execPath, [COMMAND, 'dead-letters', ...args], { env, maxBuffer: 1 << 26 }, (error, out, err) =>
        resolve({ code: error ? Number(error.code ?? 1) : 0, out, err }),
      );
      child.stderr!.on('data', (text) => endsAfter !== undefined && String(text).includes(endsAfter) && child.kill('SIGKILL'));
    });
  const list = async (topic: string): Promise<DeadLetterSummary[]> => {
    const { code, out, err } = await tidings(['list', '--topic', topic, '--json']);
    expect([code, err]).toEqual([0, '']);
    return JSON.parse(out) as DeadLetterSummary[];
  };
  const listOnce = (topic: string, isMeant: (letters: DeadLetterSummary[]) => boolean): Promise<DeadLetterSummary[]> =>
    waitUntil(
      async () => {
        const letters = await list(topic);
        return isMeant(letters) ? letters : undefined;
      },
      { what: `the dead letters of ${topic}`, timeoutMs: 60_000, intervalMs: 200 },
    );
  /** Profiles without running numbers, which audience cannot order. */
  const appendBad = (count: number): Promise<void> =>
    log.append(
      profileChanged,
      Array.from({ length: count }, (_, index) => ({
        id: randomUUID(),
        payload: { workspaceId: system.workspaceId, userId: `bad-${index}`, profile: {} },
      })),
    );

  it('are listed, shown, redriven and discarded, each with its audit event', async () => {
    await appendBad(1);
    const [letter] = await listOnce(PROFILES, ({ length }) => length === 1);
    expect(letter).toMatchObject({
      topic: PROFILES,
      partition: expect.any(Number) as number,
      offset: expect.stringMatching(/^\d+$/) as string,
      error: expect.stringContaining('no sequence number') as string,
      count: 2,
    });
    expect(Math.abs(Date.parse(letter!.time) - Date.now())).toBeLessThan(120_000);

    const shown = JSON.parse((await tidings(['show', letter!.id, '--json'])).out) as DeadLetterRecord;
    expect(shown).toMatchObject({ ...letter, verified: true, redrivable: true, key: `${system.workspaceId}:bad-0` });
    expect(JSON.parse(shown.value!)).toMatchObject({ userId: 'bad-0' });

    // It fails again, and comes back as another dead letter.
    expect(await tidings(['redrive', letter!.id])).toMatchObject({ code: 0, out: `Dead letter ${letter!.id} is redriven\n` });
    const [again] = await listOnce(PROFILES, (letters) => letters.length === 1 && letters[0]!.id !== letter!.id);
    expect(again).toMatchObject({ topic: PROFILES, error: letter!.error });
    expect(await tidings(['redrive', letter!.id])).toMatchObject({ code: 1, out: '', err: expect.stringContaining(letter!.id) as string });

    expect(await tidings(['discard', again!.id])).toMatchObject({ code: 0 });
    expect(await list(PROFILES)).toEqual([]);
    expect(await tidings(['discard', again!.id])).toMatchObject({ code: 1, out: '' });
    expect(await tidings(['show', again!.id])).toMatchObject({ code: 1, out: '' });

    const audited = async () => (await system.client.get<{ results: AuditEvent[] }>('/audit-events')).body.results;
    const found = await waitUntil(
      async () => {
        const all = (await audited()).filter(({ type }) => type.startsWith('dead-letter:'));
        return all.length >= 2 ? all : undefined;
      },
      { what: 'the audit events' },
    );
    expect(found.map(({ type, target }) => [type, target.id])).toEqual([
      ['dead-letter:discarded', again!.id],
      ['dead-letter:redriven', letter!.id],
    ]);
  });

  it('of a record that none of our processes wrote come back when they are redriven', async () => {
    if (system.topology !== 'kafka') return; // nothing is signed in PostgreSQL
    const raw = { key: Buffer.from('w:forged'), value: Buffer.from([0x7b, 0xff, 0x00]), headers: { 'x-own': 'ü' } };
    await log.deadLetters.putBack(messageRequested, [{ id: 'forged', key: 'w:forged', payload: null, raw }]);
    const [letter] = await listOnce(REQUESTS, ({ length }) => length === 1);
    expect(letter).toMatchObject({ error: 'unauthenticated: unsigned', count: 0 });

    expect(await tidings(['redrive', letter!.id])).toMatchObject({ code: 0 });

    const [again] = await listOnce(REQUESTS, (letters) => letters.length === 1 && letters[0]!.id !== letter!.id);
    expect(again).toMatchObject({ error: 'unauthenticated: unsigned', partition: letter!.partition });
    const shown = JSON.parse((await tidings(['show', again!.id, '--json'])).out) as DeadLetterRecord;
    expect(shown).toMatchObject({ verified: false, headers: { 'x-own': 'ü' } });
    const [stored] = await log.deadLetters.find(messageRequested, [again!.id.split(':')[1]!]);
    expect(stored!.original!.raw!.value).toEqual(raw.value);
    expect(await tidings(['discard', again!.id])).toMatchObject({ code: 0 });
  });

  it(`are redriven all ${MANY} in steps, by a command that was killed and started again`, async () => {
    await appendBad(MANY);
    const before = await listOnce(PROFILES, ({ length }) => length === MANY);
    expect(new Set(before.map(({ id }) => id)).size).toBe(MANY);

    const killed = await tidings(['redrive', '--all', '--topic', PROFILES], ' redriven');
    expect(killed.err).toContain('100 redriven');
    const resumed = await tidings(['redrive', '--all', '--topic', PROFILES, '--json']);
    expect([resumed.code, resumed.err]).toEqual([0, expect.stringContaining(' redriven') as string]);

    // Every record failed again under another id, and none is missing.
    const earlier = new Set(before.map(({ id }) => id));
    const after = await listOnce(PROFILES, (letters) => letters.length >= MANY && letters.every(({ id }) => !earlier.has(id)));
    expect(after.length).toBeGreaterThanOrEqual(MANY);
    expect(await tidings(['discard', '--all', '--topic', PROFILES])).toMatchObject({ code: 0, out: `${after.length} discarded\n` });
    expect(await list(PROFILES)).toEqual([]);
  });
});
