import { isIP } from 'node:net';

const BITS_MAX = { 4: 32, 6: 128 } as const;

/** An IP network. */
export interface Network {
  readonly address: string;
  readonly bits: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** Parses `10.1.0.0/16` or `fd00::/8`; undefined for any other text. */
export function parseNetwork(text: string): Network | undefined {
  const [, address = '', digits = ''] = /^([0-9a-fA-F.:]+)\/(\d{1,3})$/.exec(text) ?? [];
  const version = isIP(address) as 0 | 4 | 6;
  const bits = Number(digits);
  if (version === 0 || bits > BITS_MAX[version]) return undefined;
  return { address, bits, family: version === 6 ? 'ipv6' : 'ipv4' };
}
