import { randomUUID } from 'node:crypto';
import { type CallContext, systemContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { waitUntil } from '@tidings/testing/wait-until';
import type { QueryRunner } from 'typeorm';
import { CallJournal } from './call-journal';
import { CreateCallJournal1700000000002 } from './call-journal.migrations';
import type { Database } from './database';
import { type Notebook, openNotebook } from './database.fixture';

describe('the call journal', () => {
  let notebook: Notebook;
  let database: Database;
  let journal: CallJournal;

  beforeAll(async () => {
    notebook = await openNotebook();
    ({ database } = notebook);
    await new CreateCallJournal1700000000002().up(database as unknown as QueryRunner);
    journal = new CallJournal(database);
    await database.query('create table effects (name text not null)');
  });
  afterAll(() => notebook.close());

  const delivered = (): CallContext => ({ ...systemContext(randomUUID()), deliveryId: randomUUID() });
  const effects = async (name: string): Promise<number> => (await database.query('select from effects where name = $1', [name])).length;
  const act = (context: CallContext, name: string, answer: unknown = { done: name }): Promise<unknown> =>
    journal.once(context, async (tx) => {
      await tx.query('insert into effects (name) values ($1)', [name]);
      return answer;
    });

  it('runs a redelivered call once, and returns the first answer again', async () => {
    const context = delivered();

    expect(await act(context, 'twice')).toEqual({ done: 'twice' });
    expect(await act(context, 'twice', 'another answer')).toEqual({ done: 'twice' });

    expect(await effects('twice')).toBe(1);
  });

  it('runs a call delivered several times at once only once, with one answer for all', async () => {
    const context = delivered();

    const answers = await Promise.all(Array.from({ length: 5 }, (_, index) => act(context, 'together', index)));

    expect(new Set(answers).size).toBe(1);
    expect(await effects('together')).toBe(1);
  });

  it('returns the first answer when the repetition fails because of its own effect', async () => {
    const context = delivered();
    await act(context, 'deleted');

    const again = await journal.once(context, () => Promise.reject(new ServiceError('not_found', 'It is deleted')));

    expect(again).toEqual({ done: 'deleted' });
  });

  it.each([
    ['may be redelivered', true],
    ['is delivered once', false],
  ])('changes nothing when the deadline passes before or during a call that %s', async (_, again) => {
    const context = (leftMs: number): CallContext => {
      const { deliveryId, ...once } = delivered();
      return { ...once, ...(again && { deliveryId }), expiresAt: performance.now() + leftMs };
    };
    const name = `late ${again}`;

    await expect(act(context(-1), name)).rejects.toMatchObject({ code: 'deadline_exceeded' });
    const late = context(100);
    const work = journal.once(late, async (tx) => {
      await tx.query('insert into effects (name) values ($1)', [name]);
      await waitUntil(() => performance.now() > late.expiresAt!, { what: 'the deadline to pass' });
    });
    await expect(work).rejects.toMatchObject({ code: 'deadline_exceeded' });
    expect(await effects(name)).toBe(0);

    await act(context(10_000), name);
    expect(await effects(name)).toBe(1);
  });

  it('runs a failed call again', async () => {
    const context = delivered();
    const failing = journal.once(context, async (tx) => {
      await tx.query("insert into effects (name) values ('failed')");
      throw new ServiceError('conflict', 'Not like this');
    });

    await expect(failing).rejects.toMatchObject({ code: 'conflict' });
    expect(await effects('failed')).toBe(0);
    expect(await act(context, 'failed')).toEqual({ done: 'failed' });
  });

  it('returns nothing again when the first answer was empty', async () => {
    const context = delivered();

    expect(await journal.once(context, () => Promise.resolve())).toBeUndefined();
    expect(await act(context, 'silent')).toBeUndefined();
  });

  it('records no call that is delivered once', async () => {
    const context = systemContext(randomUUID());

    await act(context, 'local');
    await act(context, 'local');

    expect(await effects('local')).toBe(2);
  });
});
