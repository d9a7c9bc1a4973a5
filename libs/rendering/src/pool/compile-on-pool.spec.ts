import type { BrandForRendering } from '../email/brand';
import { frameOf } from '../email/frame';
import { BudgetSpent, inlineBudget } from '../render-budget';
import type { Rendered } from '../render';
import { NotCompiled } from '../not-compiled';
import { jobs, type PortableRenderInput } from './jobs';
import { longestBlockMs } from './longest-turn.fixture';
import { compileOnPool } from './compile-on-pool';
import { startPool } from './start-pool.fixture';

/** Maximum blocking of this thread, as a share of the time of compiling and rendering on it. */
const LAG_SHARE_MAX = 0.5;
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
const similarNotCompiled = (input: PortableRenderInput): PortableRenderInput =>
  JSON.parse(JSON.stringify(input).replaceAll('line', 'lane').replaceAll('#123456', '#123457')) as PortableRenderInput;
const htmlOf = (rendered: Rendered | NotCompiled | undefined): string =>
  rendered && !(rendered instanceof NotCompiled) && rendered.output.kind === 'email' ? rendered.output.email.html : '';

describe('on a shared thread', () => {
  // Loads the package that inlines CSS, which is slow, before the measurement.
  beforeAll(() => void frameOf({ brand: null, direction: 'ltr' }));

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
  ])('%s is compiled on the pool and rendered here from then on', async (what, input) => {
    const pool = startPool();
    let here: Rendered | NotCompiled | undefined;
    const lagMs = await longestBlockMs(
      (async () => {
        const notCompiled = renderHere(input);
        expect(notCompiled).toBeInstanceOf(NotCompiled);
        await compileOnPool(pool, 'w', (notCompiled as NotCompiled).job);
        here = renderHere(input);
      })(),
    );

    expect(htmlOf(here).length).toBeGreaterThan(1_000);
    expect(htmlOf(here)).toBe(htmlOf(jobs.render(input)));
    const compileMs = await longestBlockMs(Promise.resolve().then(() => jobs.render(similarNotCompiled(input))));
    if (process.env.SHOW_MEASURED) console.log({ what, lagMs, compileMs, chars: htmlOf(here).length });
    expect(lagMs).toBeLessThan(LAG_SHARE_MAX * compileMs);
  });

  it('a compiled brand is not compiled again by another thread', async () => {
    const brand = brandOf({ templateOverride: { enabled: true, mjml: { enabled: true, footer: SECTION } } });
    const input = mailOf({ brand });
    const frame = jobs.frame((renderHere(input) as NotCompiled).job.input as Parameters<typeof jobs.frame>[0]);
    const named = { ...frame, html: frame.html.replace('</body>', '<!-- this one --></body>') };
    const rendered = await startPool().run('w', 'render', { ...input, frame: named });
    expect(htmlOf(rendered)).toContain('<!-- this one -->');
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
