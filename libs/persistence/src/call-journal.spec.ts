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

  it('does a call that is delivered again no second time, and gives the first answer', async () => {
    const context = delivered();

    expect(await act(context, 'twice')).toEqual({ done: 'twice' });
    expect(await act(context, 'twice', 'another answer')).toEqual({ done: 'twice' });

    expect(await effects('twice')).toBe(1);
  });

  it('does calls that are delivered at the same moment once, with one answer for all', async () => {
    const context = delivered();

    const answers = await Promise.all(Array.from({ length: 5 }, (_, index) => act(context, 'together', index)));

    expect(new Set(answers).size).toBe(1);
    expect(await effects('together')).toBe(1);
  });

  it('gives the first answer when the repetition stumbles over its own effect', async () => {
    const context = delivered();
    await act(context, 'gone');

    const again = await journal.once(context, () => Promise.reject(new ServiceError('not_found', 'It is gone')));

    expect(again).toEqual({ done: 'gone' });
  });

  it.each([
    ['was delivered', true],
    ['is delivered once', false],
  ])('does nothing for a call whose caller has given up, before it begins or meanwhile, where it %s', async (_, again) => {
    const context = (leftMs: number): CallContext => {
      const { deliveryId, ...once } = delivered();
      return { ...once, ...(again && { deliveryId }), expiresAt: performance.now() + leftMs };
    };
    const name = `late ${again}`;

    await expect(act(context(-1), name)).rejects.toMatchObject({ code: 'deadline_exceeded' });
    const late = context(100);
    const work = journal.once(late, async (tx) => {
      await tx.query('insert into effects (name) values ($1)', [name]);
      await waitUntil(() => performance.now() > late.expiresAt!, { what: 'the end of the time there is' });
    });
    await expect(work).rejects.toMatchObject({ code: 'deadline_exceeded' });
    expect(await effects(name)).toBe(0);

    await act(context(10_000), name);
    expect(await effects(name)).toBe(1);
  });

  it('lets a call that failed be done again', async () => {
    const context = delivered();
    const failing = journal.once(context, async (tx) => {
      await tx.query("insert into effects (name) values ('failed')");
      throw new ServiceError('conflict', 'Not like this');
    });

    await expect(failing).rejects.toMatchObject({ code: 'conflict' });
    expect(await effects('failed')).toBe(0);
    expect(await act(context, 'failed')).toEqual({ done: 'failed' });
  });

  it('answers nothing when the first answer was nothing', async () => {
    const context = delivered();

    expect(await journal.once(context, () => Promise.resolve())).toBeUndefined();
    expect(await act(context, 'silent')).toBeUndefined();
  });

  it('keeps no record of calls that are delivered once', async () => {
    const context = systemContext(randomUUID());

    await act(context, 'local');
    await act(context, 'local');

    expect(await effects('local')).toBe(2);
  });
});
