import type { Rendered } from '@tidings/providers/rendered';
import type { Output } from '@tidings/rendering/channels/outputs';

/** Compiles only while providers take whatever rendering puts out. */
const handOver = (output: Output): Rendered => output;

it('what rendering puts out is what providers take', () => {
  const output: Output = { kind: 'sms', sms: { text: 'Shipped' } };

  expect(handOver(output)).toBe(output);
});
