import { render } from '../render';
import { assertBrandRenders } from './brand-check';

const settingsOf = (mjml: object) => ({ email: { templateOverride: { enabled: true, mjml: { enabled: true, ...mjml } } } });

describe('a brand in MJML', () => {
  it.each<[string, object, RegExp]>([
    [
      'its header',
      { header: '<mj-nope></mj-nope>' },
      /^settings\.email\.templateOverride\.mjml\.header: line 1: MJML has no element <mj-nope>/,
    ],
    [
      'its footer',
      { head: '\n', header: '<mj-raw>mj-foo</mj-raw>', footer: '<mj-section>\n<mj-foo/></mj-section>' },
      /^settings\.email\.templateOverride\.mjml\.footer: line 2: MJML has no element <mj-foo>/,
    ],
  ])('is refused for an element that MJML does not know in %s', (_, mjml, message) => {
    expect(() => assertBrandRenders({ name: 'b', settings: settingsOf(mjml) })).toThrow(
      expect.objectContaining({ code: 'invalid_request', message: expect.stringMatching(message) as string }) as Error,
    );
  });

  it('that was stored with such an element renders, with a warning', () => {
    const brand = { id: 'b', settings: settingsOf({ header: '<mj-section><mj-column><mj-nope>x</mj-nope></mj-column></mj-section>' }) };
    const rendered = render({ content: { title: 'T', body: 'the body' }, channel: 'email', scope: {}, brand });
    expect(rendered?.output).toMatchObject({ kind: 'email', email: { html: expect.stringContaining('the body') as string } });
    expect(rendered?.warnings).toEqual([expect.stringContaining('no element <mj-nope>')]);
  });
});

describe('an e-mail in MJML', () => {
  it('that was stored with an element that MJML does not know renders, with a warning', () => {
    const html = '<mjml><mj-body><mj-foo></mj-foo><mj-section><mj-column><mj-text>kept</mj-text></mj-column></mj-section></mj-body></mjml>';
    const elements = [{ type: 'channel' as const, channel: 'email', raw: { html, transformers: ['mjml'] } }];
    const rendered = render({ content: { elements }, channel: 'email', scope: {} });
    expect(rendered?.output).toMatchObject({ kind: 'email', email: { html: expect.stringContaining('kept') as string } });
    expect(rendered?.warnings).toEqual([expect.stringContaining('raw.html: line 1: MJML has no element <mj-foo>')]);
  });
});
