import { brands, type CreateBrand } from '@tidings/contracts/content/brands';
import { type Preview, type PreviewContent, previews } from '@tidings/contracts/content/previews';
import type { CallContext } from '@tidings/contracts/core/context';
import { RenderPool } from '@tidings/rendering/pool/render-pool';
import type { TestService } from '@tidings/testing/service';
import { waitUntil } from '@tidings/testing/wait-until';
import Piscina from 'piscina';
import { newWorkspace } from '../testing/content-listener';
import { sharedContent } from '../testing/start-content';
import { textContent } from '../testing/template-builder';
import { PREVIEWS_WAITING_MAX } from './preview-limiter';
let content: TestService;
let pool: RenderPool;
const call: TestService['call'] = (...parameters) => content.call(...parameters);
const preview = (context: CallContext, request: PreviewContent, deadlineMs?: number): Promise<Preview> =>
  call(previews.render, context, request, deadlineMs === undefined ? {} : { deadlineMs });

beforeAll(async () => {
  content = await sharedContent();
  pool = content.get(RenderPool);
});
afterEach(() => jest.restoreAllMocks());

/** Takes the whole time limit in each channel. */
const SLOW: PreviewContent = {
  content: textContent('{{#each a}}{{#each ../a}}{{#each ../../a}}{{set "x" @index}}{{/each}}{{/each}}{{/each}}'),
  data: { a: Array.from({ length: 1_000 }, (_, i) => i) },
};
const SMALL: PreviewContent = { content: textContent('Hello'), channel: 'sms' };
/** Too large to be checked on the calling thread. */
const BRAND = withHeader('<mj-section></mj-section>');
const LONG_HEADER = '<mj-section><mj-column><mj-text>a</mj-text></mj-column></mj-section>'.repeat(500);
/** Longer than requesting a few previews takes; the test decides how long threads are blocked. */
const ABANDONED_MS = 3_000;
const BLOCKING = { content: {}, channel: 'sms', scope: {} };

function withHeader(header: string): CreateBrand {
  return { name: 'B', settings: { email: { templateOverride: { mjml: { enabled: true, header } } } } };
}

/**
 * Blocks every thread for other workspaces until the two functions release them: the first one thread, the second the rest. The
 * blocking jobs never start, so that no time limit ends them.
 */
function blockThreads(): readonly [releaseOne: () => Promise<void>, releaseRest: () => Promise<void>] {
  const run = Piscina.prototype.run;
  jest.spyOn(Piscina.prototype, 'run').mockImplementation(function (this: Piscina, task: { input?: unknown }, options) {
    if (task.input !== BLOCKING) return run.call(this, task, options) as Promise<unknown>;
    const signal = options!.signal as AbortSignal;
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  });
  const block = (count: number): (() => Promise<void>) => {
    const stop = new AbortController();
    const owner = newWorkspace().workspaceId;
    const jobs = Promise.allSettled(Array.from({ length: count }, () => pool.run(owner, 'render', BLOCKING, { signal: stop.signal })));
    return async () => {
      stop.abort(new Error('released'));
      await jobs;
    };
  };
  return [block(1), block(pool.threadsPerWorkspace)];
}

/** Requests as many previews as may run and wait, and one more: once that one is refused, the others are queued. */
async function fillLimit(context: CallContext, deadlineMs?: number): Promise<{ settled: Promise<PromiseSettledResult<Preview>[]> }> {
  const requested = Array.from({ length: pool.threadsPerWorkspace + PREVIEWS_WAITING_MAX + 1 }, () => preview(context, SMALL, deadlineMs));
  await expect(Promise.race(requested)).rejects.toMatchObject({ code: 'rate_limited', hints: { retryAfterSeconds: 2 } });
  return { settled: Promise.allSettled(requested) };
}

/** Records the jobs of a workspace in the order in which they are queued and in which they end. */
function jobsOf({ workspaceId }: CallContext): { readonly queued: string[]; readonly done: string[] } {
  const [queued, done]: string[][] = [[], []];
  const run = pool.run.bind(pool);
  jest.spyOn(pool, 'run').mockImplementation(async (owner, job, ...more) => {
    const isOurs = owner === workspaceId;
    if (isOurs) queued!.push(job);
    const answer = await run(owner, job, ...more);
    if (isOurs) done!.push(job);
    return answer;
  });
  return { queued: queued!, done: done! };
}

it('abandoned previews delay neither brands nor other previews', async () => {
  const context = newWorkspace();
  const { queued, done } = jobsOf(context);
  const releases = blockThreads();
  let later: Promise<unknown>[];
  try {
    const abandoned = await fillLimit(context, ABANDONED_MS);
    expect((await abandoned.settled).every(({ status }) => status === 'rejected')).toBe(true);
    const before = queued.length;
    later = [call(brands.create, context, BRAND), preview(context, SMALL)];
    await waitUntil(() => queued.length === before + later.length, { what: 'both to be queued' });
  } finally {
    for (const release of releases) await release();
  }

  await expect(Promise.all(later)).resolves.toMatchObject([{ name: 'B' }, { errors: [] }]);
  expect(done.sort()).toEqual(['checkBrand', 'render']);
});

it('a brand is checked before previews that were requested earlier', async () => {
  const context = newWorkspace();
  const { queued, done } = jobsOf(context);
  const [releaseOne, releaseRest] = blockThreads();
  try {
    const earlier = await fillLimit(context);
    const brand = call(brands.create, context, BRAND);
    await waitUntil(() => queued.at(-1) === 'checkBrand', { what: 'the brand to be queued' });
    await releaseOne();
    await brand;

    expect(done[0]).toBe('checkBrand');
    await releaseRest();
    await earlier.settled;
  } finally {
    await Promise.all([releaseOne(), releaseRest()]);
  }
});

it('a brand whose call exceeded its deadline is not stored later', async () => {
  const context = newWorkspace();
  const slow = Array.from({ length: PREVIEWS_WAITING_MAX }, () => preview(context, SLOW, 3_000));
  const settled = Promise.allSettled(slow);

  // The answer needs 500 of the 505 ms; checking the brand takes longer than the rest, with or without previews before it.
  const late = { ...withHeader(LONG_HEADER), id: 'late' };
  await expect(call(brands.create, context, late, { deadlineMs: 505 })).rejects.toMatchObject({
    code: expect.stringMatching(/^(unavailable|deadline_exceeded)$/) as string,
  });

  await settled;
  await call(brands.create, context, { ...BRAND, id: 'after' });
  await expect(call(brands.retrieve, context, { brand_id: 'late' })).rejects.toMatchObject({ code: 'not_found' });
});
