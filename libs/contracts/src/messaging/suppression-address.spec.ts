import { suppressionAddress } from './suppression-address';

it.each([
  ['email', ' Ada.Lovelace@Example.COM', 'ada.lovelace@example.com'],
  ['email', 'ada@bücher.example', 'ada@xn--bcher-kva.example'],
  ['email', 'ada', undefined],
  ['email', 'ada@example.com, bob@example.com', undefined],
  ['sms', '+1 (555) 010-0000', '+15550100000'],
  ['sms', '0015550100000', '+15550100000'],
  ['sms', '15550100000', '+15550100000'],
  ['sms', '0170 5550100', undefined],
  ['sms', '+1234567890123456', undefined],
  ['push', 'A token: with/any signs', 'A token: with/any signs'],
  ['push', 'x'.repeat(1_025), undefined],
  ['push', 'hmac-sha256:forged', undefined],
] as const)('spells the %s address %s as %s', (channel, given, spelled) => {
  expect(suppressionAddress(channel, given)).toBe(spelled);
  if (spelled !== undefined) expect(suppressionAddress(channel, spelled)).toBe(spelled);
});
