import type { BrandForRendering } from '../email/brand';
import { BudgetSpent, inlineBudget } from '../render-budget';
import type { Rendered } from '../render';
import { NotCompiled } from '../not-compiled';
import { type JobName, jobs, type PortableRenderInput } from './jobs';
import { compileOnPool } from './compile-on-pool';
import type { RenderPool } from './render-pool';
import { startPool } from './start-pool.fixture';

const SECTION = '<mj-section><mj-column><mj-text>{{tenant.name}} and a line of text</mj-text></mj-column></mj-section>';
/** Its HTML has nearly the maximum characters of a mail. */
const MJML = SECTION.repeat(220);

const brandOf = (email: object): BrandForRendering => ({ id: 'b', settings: { email } });
const mailOf = (more: Partial<PortableRenderInput>): PortableRenderInput => ({
  content: { title: 'T', body: 'Hello {name}' },
  channel: 'email',
  scope: { data: { name: 'Jane' } },
  ...more,
});
/** Renders on this thread as the router does; returns `NotCompiled` when the pool must compile first. */
function renderHere(input: PortableRenderInput): Rendered | NotCompiled | undefined {
  try {
    return jobs.render(input, inlineBudget());
  } catch (error) {
    if (error instanceof NotCompiled) return error;
    throw error;
  }
}
const htmlOf = (rendered: Rendered | NotCompiled | undefined): string =>
  rendered && !(rendered instanceof NotCompiled) && rendered.output.kind === 'email' ? rendered.output.email.html : '';

/** In the HTML that a pool thread compiled; HTML that this thread compiled has no such comment. */
const BY_POOL = '<!-- by the pool -->';
/** A pool whose compiled HTML contains `BY_POOL`. */
function startMarkingPool(): RenderPool {
  const pool = startPool();
  const run = pool.run.bind(pool) as (workspaceId: string, job: JobName, input: unknown) => Promise<{ html: string }>;
  jest.spyOn(pool, 'run').mockImplementation((async (workspaceId: string, job: JobName, input: unknown) => {
    const compiled = await run(workspaceId, job, input);
    return { ...compiled, html: compiled.html.replace('</body>', `${BY_POOL}</body>`) };
  }) as RenderPool['run']);
  return pool;
}

describe('on a shared thread', () => {
  it.each([
    ['a brand in MJML', mailOf({ brand: brandOf({ templateOverride: { enabled: true, mjml: { enabled: true, header: MJML } } }) })],
    [
      'an e-mail in MJML',
      mailOf({
        content: {
          elements: [
            { type: 'channel', channel: 'email', raw: { html: `<mjml><mj-body>${MJML}</mj-body></mjml>`, transformers: ['mjml'] } },
          ],
        },
      }),
    ],
    [
      'a brand with many rules',
      mailOf({
        brand: brandOf({
          head: { content: `<style>${Array.from({ length: 2_000 }, (_, i) => `.a${i} p.b { color: #123456 }`).join('')}</style>` },
        }),
      }),
    ],
  ])('%s is compiled on the pool and rendered here from then on', async (_, input) => {
    const notCompiled = renderHere(input);
    expect(notCompiled).toBeInstanceOf(NotCompiled);
    await compileOnPool(startMarkingPool(), 'w', (notCompiled as NotCompiled).job);

    const html = htmlOf(renderHere(input));
    expect(html.length).toBeGreaterThan(1_000);
    expect(html).toContain(BY_POOL);
  });

  it('a compiled brand is not compiled again by another thread', async () => {
    const brand = brandOf({ templateOverride: { enabled: true, mjml: { enabled: true, footer: SECTION } } });
    const input = mailOf({ brand });
    const frame = jobs.frame((renderHere(input) as NotCompiled).job.input as Parameters<typeof jobs.frame>[0]);
    const named = { ...frame, html: frame.html.replace('</body>', `${BY_POOL}</body>`) };
    const rendered = await startPool().run('w', 'render', { ...input, frame: named });
    expect(htmlOf(rendered)).toContain(BY_POOL);
  });

  it('content of many elements and conditions is not compiled', () => {
    const elements = Array.from({ length: 2_000 }, (_, i) => ({
      type: 'text' as const,
      content: 'x',
      if: `data.x${i} > 5 && data.y == 'a'`,
    }));
    expect(() => renderHere(mailOf({ content: { elements } }))).toThrow(BudgetSpent);
  });
});
