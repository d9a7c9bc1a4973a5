import type { ElementalNode } from '@tidings/contracts/content/elemental';
import { expectLinear, whatever } from '@tidings/testing/cpu-time';
import { assertBrandRenders } from './brand-check';
import { assertContentRenders } from './content-check';
import { assertNothingLeftOpen } from './left-open';

const refusal = (message: RegExp): Error =>
  expect.objectContaining({ code: 'invalid_request', message: expect.stringMatching(message) as string }) as Error;

describe('HTML that hides what comes behind it', () => {
  it.each<[string, RegExp]>([
    ['a\n<!-- b', /^line 2: the comment <!-- is not closed; what comes behind it would not be shown$/],
    ['<!-- a --><!--[if mso]><b><!-- -- >', /^line 1: the comment <!-- /],
    ['<b>\n\n<STYLE>p{}</b>', /^line 3: <STYLE> is not closed/],
    ['<title>a', /^line 1: <title> is not closed/],
    ['{{#if x\n}}<br>\n<textarea rows={{n}}>a', /^line 3: <textarea> is not closed/],
    ['<p>a</p>\n<a href="x>b</a>', /^line 2: the tag <a is not closed/],
    ['<p>a</p\n><img src={{u}} ', /^line 2: the tag <img is not closed/],
  ])('is refused: %j', (html, message) => {
    expect(() => assertNothingLeftOpen(html)).toThrow(refusal(message));
  });

  it.each([
    'a < b <3',
    '<table><tr><td>what a footer closes',
    '<!--[if mso]><table><![endif]--><!-->x<!-- a --!>',
    '<style>/* <!-- */</style><title></title>',
    '{{!-- <!-- --}}{{#if "<!--"}}<b {{#if x}}title="{{t "it\'s"}}"{{/if}}>{{/if}}',
  ])('is not what leaves elements open, or templates: %j', (html) => {
    expect(() => assertNothingLeftOpen(html)).not.toThrow();
  });

  it.each(['<!--', '<a ', '<a b="', '<style>', '{{', '{{!--'])('is found in linear time, however many %j there are', (piece) => {
    expectLinear(20_000, (size) => whatever(() => assertNothingLeftOpen(`<${piece.repeat(size)}`)));
  });
});

describe('a brand', () => {
  const override = (parts: object): object => ({ templateOverride: { enabled: true, ...parts } });

  it.each<[string, object, RegExp]>([
    ['its header', override({ header: '<p>\n<!-- logo' }), /^settings\.email\.templateOverride\.header: line 2: the comment <!-- is/],
    [
      'its footer',
      override({ header: '<div>', footer: '</div><style>' }),
      /^settings\.email\.templateOverride\.footer: line 1: <style> is/,
    ],
    ['its head', { head: { inheritDefault: false, content: '<style>p{}' } }, /^settings\.email\.head\.content: line 1: <style> is/],
    ['its Markdown', { footer: { markdown: 'a\n\n<!-- b\n\nc' } }, /^settings\.email\.footer: line 3: the comment <!-- is/],
    [
      'its MJML',
      override({ mjml: { enabled: true, header: '<mj-section><mj-column><mj-text><!-- x</mj-text></mj-column></mj-section>' } }),
      /^settings\.email\.templateOverride\.mjml\.header: line 1: the comment <!-- is/,
    ],
  ])('is refused where %s leaves something open', (_, email, message) => {
    expect(() => assertBrandRenders({ name: 'b', settings: { email } })).toThrow(refusal(message));
  });

  it('may open in its header what its footer closes', () => {
    const email = override({ header: '<table><tr><td>', footer: '</td></tr></table>' });
    expect(() => assertBrandRenders({ name: 'b', settings: { email } })).not.toThrow();
  });
});

describe('content', () => {
  const check = (...elements: unknown[]): void => assertContentRenders({ elements: elements as ElementalNode[] }, 'content');

  it.each<[string, unknown, RegExp]>([
    ['HTML', { type: 'html', content: '<p>\n<!-- a' }, /^content\.elements\[0\]\.content: line 2: the comment <!-- is/],
    ['Markdown', { type: 'text', content: 'Hi {name}\n\n<!-- {a}\n\nb' }, /^content\.elements\[0\]\.content: line 3: the comment <!-- is/],
    [
      'a language',
      { type: 'html', content: '', locales: { fr: { content: '<a title="b>' } } },
      /^content\.elements\[0\]\.locales\.fr\.content: line 1: the tag <a is/,
    ],
    [
      'a raw mail',
      { type: 'channel', channel: 'email', raw: { html: '<p>a<style>' } },
      /^content\.elements\[0\]\.raw\.html: line 1: <style> is/,
    ],
  ])('is refused where %s leaves something open', (_, element, message) => {
    expect(() => check(element)).toThrow(refusal(message));
  });

  it('may have elements that only Outlook shows, and Markdown that means what it says', () => {
    expect(() => check({ type: 'html', content: '<!--[if mso]>' }, { type: 'text', content: 'Outlook' }, { type: 'html', content: '<![endif]-->' })).not.toThrow(); // prettier-ignore
    expect(() => check({ type: 'text', content: 'a <!-- b, `<style>`, <a\n\n```\n<!--\n```' })).not.toThrow();
  });
});
