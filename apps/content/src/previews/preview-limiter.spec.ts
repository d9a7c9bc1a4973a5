import { brands, type CreateBrand } from '@tidings/contracts/content/brands';
import { type Preview, type PreviewContent, previews } from '@tidings/contracts/content/previews';
import type { CallContext } from '@tidings/contracts/core/context';
import { RenderPool } from '@tidings/rendering/pool/render-pool';
import type { TestService } from '@tidings/testing/service';
import { waitUntil } from '@tidings/testing/wait-until';
import Piscina from 'piscina';
import { newWorkspace } from '../testing/content-story';
import { sharedContent } from '../testing/start-content';
import { saying } from '../testing/template-builder';
import { PREVIEWS_WAITING_MAX } from './preview-limiter';
let content: TestService;
let pool: RenderPool;
const call: TestService['call'] = (...parameters) => content.call(...parameters);
const preview = (context: CallContext, asked: PreviewContent, deadlineMs?: number): Promise<Preview> =>
  call(previews.render, context, asked, deadlineMs === undefined ? {} : { deadlineMs });

beforeAll(async () => {
  content = await sharedContent();
  pool = content.get(RenderPool);
});
afterEach(() => jest.restoreAllMocks());

/** Takes as long as anything may, in each of the channels. */
const SLOW: PreviewContent = {
  content: saying('{{#each a}}{{#each ../a}}{{#each ../../a}}{{set "x" @index}}{{/each}}{{/each}}{{/each}}'),
  data: { a: Array.from({ length: 1_000 }, (_, i) => i) },
};
const SMALL: PreviewContent = { content: saying('Hello'), channel: 'sms' };
/** Too large to be read on the calling thread. */
const BRAND = withHeader('<mj-section></mj-section>');
const LONG_HEADER = '<mj-section><mj-column><mj-text>a</mj-text></mj-column></mj-section>'.repeat(500);
/** Longer than asking for some previews takes; threads are held for as long as the test says. */
const ABANDONED_MS = 3_000;
const HELD = { texts: [], scope: {} };

function withHeader(header: string): CreateBrand {
  return { name: 'B', settings: { email: { templateOverride: { mjml: { enabled: true, header } } } } };
}

/**
 * Gives every thread to others, until each of the two is asked to let go: the first holds one, the second all the rest. What they are
 * given for never begins, so that no limit of its time ends it.
 */
function holdThreads(): readonly [letOneGo: () => Promise<void>, letRestGo: () => Promise<void>] {
  const run = Piscina.prototype.run;
  jest.spyOn(Piscina.prototype, 'run').mockImplementation(function (this: Piscina, task: { input?: unknown }, options) {
    if (task.input !== HELD) return run.call(this, task, options) as Promise<unknown>;
    const signal = options!.signal as AbortSignal;
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  });
  const hold = (count: number): (() => Promise<void>) => {
    const stop = new AbortController();
    const owner = newWorkspace().workspaceId;
    const held = Promise.allSettled(Array.from({ length: count }, () => pool.run(owner, 'texts', HELD, { signal: stop.signal })));
    return async () => {
      stop.abort(new Error('let go'));
      await held;
    };
  };
  return [hold(1), hold(pool.threadsPerWorkspace)];
}

/** Asks for as many previews as may run and wait, and one more: the others are in the queue once that one is refused. */
async function fillTurns(context: CallContext, deadlineMs?: number): Promise<{ settled: Promise<PromiseSettledResult<Preview>[]> }> {
  const asked = Array.from({ length: pool.threadsPerWorkspace + PREVIEWS_WAITING_MAX + 1 }, () => preview(context, SMALL, deadlineMs));
  await expect(Promise.race(asked)).rejects.toMatchObject({ code: 'rate_limited', hints: { retryAfterSeconds: 2 } });
  return { settled: Promise.allSettled(asked) };
}

/** The jobs of a workspace in the order in which they come to the queue, and in which they are done. */
function jobsOf({ workspaceId }: CallContext): { readonly asked: string[]; readonly done: string[] } {
  const [asked, done]: string[][] = [[], []];
  const run = pool.run.bind(pool);
  jest.spyOn(pool, 'run').mockImplementation(async (owner, job, ...more) => {
    const isOurs = owner === workspaceId;
    if (isOurs) asked!.push(job);
    const answer = await run(owner, job, ...more);
    if (isOurs) done!.push(job);
    return answer;
  });
  return { asked: asked!, done: done! };
}

it('previews that nobody waits for any more hold up neither brands nor other previews', async () => {
  const context = newWorkspace();
  const { asked, done } = jobsOf(context);
  const letGo = holdThreads();
  let later: Promise<unknown>[];
  try {
    const abandoned = await fillTurns(context, ABANDONED_MS);
    expect((await abandoned.settled).every(({ status }) => status === 'rejected')).toBe(true);
    const before = asked.length;
    later = [call(brands.create, context, BRAND), preview(context, SMALL)];
    await waitUntil(() => asked.length === before + later.length, { what: 'both to come to the queue' });
  } finally {
    for (const release of letGo) await release();
  }

  await expect(Promise.all(later)).resolves.toMatchObject([{ name: 'B' }, { errors: [] }]);
  expect(done.sort()).toEqual(['checkBrand', 'render']);
});

it('a brand is put before previews that were asked for earlier', async () => {
  const context = newWorkspace();
  const { asked, done } = jobsOf(context);
  const [letOneGo, letRestGo] = holdThreads();
  try {
    const earlier = await fillTurns(context);
    const brand = call(brands.create, context, BRAND);
    await waitUntil(() => asked.at(-1) === 'checkBrand', { what: 'the brand to come to the queue' });
    await letOneGo();
    await brand;

    expect(done[0]).toBe('checkBrand');
    await letRestGo();
    await earlier.settled;
  } finally {
    await Promise.all([letOneGo(), letRestGo()]);
  }
});

it('a brand that was refused because its call took too long does not appear later', async () => {
  const context = newWorkspace();
  const slow = Array.from({ length: PREVIEWS_WAITING_MAX }, () => preview(context, SLOW, 3_000));
  const settled = Promise.allSettled(slow);

  // Of its 505 ms the answer needs 500; reading it takes longer than the rest, whether the previews are before it or not.
  const late = { ...withHeader(LONG_HEADER), id: 'late' };
  await expect(call(brands.create, context, late, { deadlineMs: 505 })).rejects.toMatchObject({
    code: expect.stringMatching(/^(unavailable|deadline_exceeded)$/) as string,
  });

  await settled;
  await call(brands.create, context, { ...BRAND, id: 'after' });
  await expect(call(brands.retrieve, context, { brand_id: 'late' })).rejects.toMatchObject({ code: 'not_found' });
});
