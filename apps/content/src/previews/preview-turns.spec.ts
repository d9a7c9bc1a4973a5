import { brands, type CreateBrand } from '@tidings/contracts/content/brands';
import { type Preview, type PreviewContent, previews } from '@tidings/contracts/content/previews';
import type { CallContext } from '@tidings/contracts/core/context';
import type { TestService } from '@tidings/testing/service';
import { newWorkspace } from '../testing/content-story';
import { startContent } from '../testing/start-content';
import { saying } from '../testing/template-builder';
import { PREVIEWS_WAITING_MAX } from './preview-turns';

jest.setTimeout(60_000);

let content: TestService;
const call: TestService['call'] = (...parameters) => content.call(...parameters);
const preview = (context: CallContext, asked: PreviewContent, deadlineMs?: number): Promise<Preview> =>
  call(previews.render, context, asked, deadlineMs === undefined ? {} : { deadlineMs });

beforeAll(async () => (content = await startContent()), 60_000);
afterAll(() => content.stop());

/** Takes as long as anything may, in each of the channels. */
const SLOW: PreviewContent = {
  content: saying('{{#each a}}{{#each ../a}}{{#each ../../a}}{{set "x" @index}}{{/each}}{{/each}}{{/each}}'),
  data: { a: Array.from({ length: 1_000 }, (_, i) => i) },
};
const SMALL: PreviewContent = { content: saying('Hello'), channel: 'sms' };
/** Too large to be read on the calling thread. */
const BRAND = withHeader('<mj-section></mj-section>');
const LONG_HEADER = '<mj-section><mj-column><mj-text>a</mj-text></mj-column></mj-section>'.repeat(500);
/** More than any machine renders at once: as many again as may wait on the largest. */
const MANY = 8 + 2 * PREVIEWS_WAITING_MAX;

function withHeader(header: string): CreateBrand {
  return { name: 'B', settings: { email: { templateOverride: { mjml: { enabled: true, header } } } } };
}

/** A service whose threads have compiled what they run. */
beforeAll(async () => {
  await preview(newWorkspace(), SMALL);
  await call(brands.create, newWorkspace(), BRAND);
});

it('previews that nobody waits for any more hold up neither brands nor other previews', async () => {
  const context = newWorkspace();
  const abandoned = await Promise.allSettled(Array.from({ length: MANY }, () => preview(context, SLOW, 3_000)));

  await expect(call(brands.create, context, BRAND, { deadlineMs: 8_000 })).resolves.toMatchObject({ name: 'B' });
  await expect(preview(context, SMALL, 8_000)).resolves.toMatchObject({ errors: [] });
  const refused = abandoned.flatMap((outcome) =>
    outcome.status === 'rejected' ? [outcome.reason as { code: string; hints: object }] : [],
  );
  const tooMany = refused.filter(({ code }) => code === 'rate_limited');
  expect(tooMany.length).toBeGreaterThanOrEqual(MANY - 8 - PREVIEWS_WAITING_MAX);
  expect(tooMany[0]!.hints).toEqual({ retryAfterSeconds: 2 });
});

it('a brand is put before previews that were asked for earlier', async () => {
  const context = newWorkspace();
  let ended = 0;
  const slow = Array.from({ length: PREVIEWS_WAITING_MAX }, () => preview(context, SLOW).finally(() => (ended += 1)));
  slow.forEach((one) => void one.catch(() => undefined));

  await call(brands.create, context, BRAND);

  expect(ended).toBeLessThan(PREVIEWS_WAITING_MAX);
  await Promise.allSettled(slow);
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
  await call(brands.create, context, { ...late, id: 'after' });
  await expect(call(brands.retrieve, context, { brand_id: 'late' })).rejects.toMatchObject({ code: 'not_found' });
});
