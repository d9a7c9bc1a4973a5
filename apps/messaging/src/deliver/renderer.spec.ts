import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { invalid } from '@tidings/contracts/core/refusals';
import { RenderPool } from '@tidings/rendering/pool/render-pool';
import type { RenderInput } from '@tidings/rendering/render';
import { waitUntil } from '@tidings/testing/wait-until';
import { Renderer } from './renderer';
import type { Rendering, ToRender } from './start-leaves';

const SECTION = '<mj-section><mj-column><mj-text>{{tenant.name}} and a line of text</mj-text></mj-column></mj-section>';
const brandOf = (mjml: object): RenderInput['brand'] => {
  const id = randomUUID();
  return { id, key: id, settings: { email: { templateOverride: { enabled: true, mjml: { enabled: true, ...mjml } } } } };
};
const toRender = (brand: RenderInput['brand'], body = 'Hello'): ToRender => ({
  workspaceId: 'w',
  input: { content: { title: 'T', body }, channel: 'email', scope: {}, brand },
});
const htmlOf = (rendering: Rendering | 'too large'): string | undefined =>
  typeof rendering === 'object' && 'output' in rendering && rendering.output.kind === 'email' ? rendering.output.email.html : undefined;

describe('a message with an MJML brand', () => {
  let pool: RenderPool;
  let renderer: Renderer;
  beforeAll(() => {
    pool = new RenderPool({ threads: 2, execArgv: ['-r', resolve(__dirname, '../../../../libs/testing/typescript-hook.cjs')] });
    renderer = new Renderer(pool);
    renderer.warmUp();
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => renderer.close());

  it('is too large for this thread until its brand is compiled, and rendered here afterwards', async () => {
    const brand = brandOf({ header: SECTION.repeat(20) });
    expect(renderer.here(toRender(brand))).toBe('too large');
    await waitUntil(() => renderer.here(toRender(brand)) !== 'too large', { what: 'the brand to be compiled', timeoutMs: 100_000 });
    expect(htmlOf(renderer.here(toRender(brand, 'Goodbye')))).toContain('Goodbye');
  });

  it('is rendered on the pool with a brand that is compiled once for concurrent messages', async () => {
    const run = jest.spyOn(pool, 'run');
    const brand = brandOf({ footer: SECTION });
    const renderings = await Promise.all(['one', 'two', 'three'].map((body) => renderer.renderOnPool(toRender(brand, body))));
    expect(renderings.map((rendering) => htmlOf(rendering)?.includes('and a line of text'))).toEqual([true, true, true]);
    expect(run.mock.calls.map(([, job]) => job)).toEqual(['frame', 'render', 'render', 'render']);
  });

  it('that cannot be compiled ends with the reason, and is not compiled again for a while', async () => {
    const run = jest.spyOn(pool, 'run');
    const brand = brandOf({ header: '<mj-section><mj-column><mj-image>' });
    const refused = expect.objectContaining({ code: 'invalid_request', message: expect.stringMatching(/MJML/) as string }) as unknown;
    await expect(renderer.renderOnPool(toRender(brand))).resolves.toEqual(refused);
    await expect(renderer.renderOnPool(toRender(brand))).resolves.toEqual(refused);
    expect(run).toHaveBeenCalledTimes(1);
  });
});

describe('content that is too slow', () => {
  const refused = { code: 'invalid_request', message: 'render_timeout: too slow' };
  const slowPool = () => ({ run: jest.fn(() => Promise.reject(invalid(refused.message))) });

  it('fails fast after three renderings for sends, of which those of dry runs are none', async () => {
    const pool = slowPool();
    const renderer = new Renderer(pool as unknown as RenderPool);
    const rendering = (dryRun?: object) => renderer.renderOnPool(toRender(null), dryRun);

    for (let index = 0; index < 4; index += 1) expect(await rendering({ endBy: 1 })).toMatchObject(refused);
    expect(pool.run).toHaveBeenLastCalledWith('w', 'render', expect.anything(), { endBy: 1, yields: true });
    expect(pool.run).toHaveBeenCalledTimes(4);
    for (let index = 0; index < 4; index += 1) expect(await rendering()).toMatchObject(refused);
    expect(pool.run).toHaveBeenCalledTimes(7);
  });
});
