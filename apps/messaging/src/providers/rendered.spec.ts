import type { Rendered } from '@tidings/providers/rendered';
import type { Output } from '@tidings/contracts/messaging/channel-outputs';

/** Compiles only while providers accept every output of rendering. */
const toRendered = (output: Output): Rendered => output;

it('accepts every output of rendering as input of providers', () => {
  const output: Output = { kind: 'sms', sms: { text: 'Shipped' } };

  expect(toRendered(output)).toBe(output);
});
