import { instantOf, renderingsOf, routeOf, textsOf } from './fields';
import type { HistoryEvent } from './queries';

const event = (fields: object): HistoryEvent => ({ ts: 1, type: 'RENDERED', ...fields });

describe('An event of a message', () => {
  it('leads to the parts of its rendering, and to no other address', () => {
    const html = '/messages/1-a/output/1/html';
    const output = { html, title: 'https://example.com/x', body: '//example.com/x', text: '/messages/1-a/output/1/text?x', blocks: 3 };
    expect(renderingsOf([event({ channel: { id: 'email' }, integration: { provider: 'smtp' }, output })])).toEqual([
      { name: 'email · smtp', parts: { html } },
    ]);
  });

  it('is read whatever its fields have', () => {
    expect(routeOf(event({ channel: null, integration: 7 }))).toBe('');
    expect(textsOf(event({ warnings: ['a', 7, null] }), 'warnings')).toEqual(['a']);
    expect(instantOf(event({ until: 'soon' }), 'until')).toBeUndefined();
    expect(instantOf(event({ until: '2026-03-01T00:00:00Z' }), 'until')).toBe(1_772_323_200_000);
  });
});
