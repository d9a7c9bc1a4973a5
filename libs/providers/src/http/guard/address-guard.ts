import { lookup as resolveHost, type LookupAddress, type LookupOptions } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { type Network, parseNetwork } from '@tidings/contracts/core/network';
import { PUBLIC_IPV6, SPECIAL_NETWORKS } from './special-networks';

/** Resolves a name to all its addresses; `dns.lookup` with `all`. */
export type Resolve = (
  host: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface AddressGuardOptions {
  /** Private networks that are allowed. Default: none. */
  readonly allowed?: readonly Network[];
  /** For specs. Default: the resolver of the operating system. */
  readonly resolve?: Resolve;
}

/** A host is a non-public address by its spelling, so a connection to it was refused. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';

  constructor(readonly host: string) {
    super(`${host.slice(0, 255)} is not at a public address; operators allow others by TIDINGS_ALLOWED_PRIVATE_NETWORKS`);
  }
}

/**
 * A name has no address that may be connected to: it does not exist, or it has no public address. One error for both, so that no client
 * learns which names an internal network has.
 */
export class NoAllowedAddress extends Error {
  override readonly name = 'NoAllowedAddress';

  constructor(readonly host: string) {
    super(`${host.slice(0, 255)} does not exist or is not at a public address; operators allow others by TIDINGS_ALLOWED_PRIVATE_NETWORKS`);
  }
}

/**
 * Keeps client-configured targets out of the internal network: loopback, private, link-local, carriers' and metadata addresses are
 * refused. A name is checked by its addresses at the time of connecting, and the connection goes to the checked addresses, so DNS
 * rebinding has no effect.
 */
export class AddressGuard {
  private readonly allowed = blockListOf(this.options.allowed ?? []);

  constructor(private readonly options: AddressGuardOptions = {}) {}

  /** Whether an IP address may be connected to. */
  allows(address: string): boolean {
    const version = isIP(address);
    if (version === 0) return false;
    const plain = version === 6 ? unmapped(address) : address;
    const family = isIP(plain) === 6 ? 'ipv6' : 'ipv4';
    if (this.allowed.check(plain, family)) return true;
    return family === 'ipv4' ? !REFUSED.check(plain, family) : PUBLIC.check(plain, family) && !REFUSED.check(plain, family);
  }

  /** Whether a host may be connected to, judged by its spelling; `lookup` checks the addresses of other names. */
  allowsHost(host: string): boolean {
    const plain = canonical(host);
    if (/(^|\.)localhost$/.test(plain)) return LOOPBACK.some((address) => this.allows(address));
    return isIP(plain) === 0 || this.allows(plain);
  }

  /** @throws AddressRefused for a host that `allowsHost` does not allow. */
  assertHost(host: string): void {
    if (!this.allowsHost(host)) throw new AddressRefused(host);
  }

  /** Replaces `dns.lookup` of a socket: resolves to the allowed addresses, or fails with `NoAllowedAddress`. */
  readonly lookup: LookupFunction = (host, options, callback) => {
    const { resolve = resolveHost } = this.options;
    resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error?.code === 'ENOTFOUND') return callback(new NoAllowedAddress(host), '', 0);
      if (error) return callback(error, '', 0);
      const usable = addresses.filter(({ address }) => this.allows(address));
      const [first] = usable;
      if (!first) return callback(new NoAllowedAddress(host), '', 0);
      if (options.all) return callback(null, usable);
      callback(null, first.address, first.family);
    });
  };
}

/** A host without brackets; an IPv4 address (resolvers accept hexadecimal or fewer dots as well) in its canonical spelling. */
function canonical(host: string) {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  const isName = isIP(bare) === 0 && !bare.includes(':') && URL.canParse(`http://${bare}`);
  return isName ? new URL(`http://${bare}`).hostname.replace(/\.$/, '') : bare;
}

/** Converts an IPv4-mapped IPv6 address (`::ffff:10.0.0.1`, in any spelling) to that IPv4 address. */
function unmapped(address: string) {
  const bare = address.replace(/%.*$/, '');
  const { hostname } = new URL(`http://[${bare}]`); // the one canonical spelling
  const [, high = '', low = ''] = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(hostname) ?? [];
  if (high === '') return bare;
  const number = (parseInt(high, 16) << 16) | parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 0xff).join('.');
}

function blockListOf(networks: readonly Network[]) {
  const list = new BlockList();
  for (const { address, bits, family } of networks) list.addSubnet(address, bits, family);
  return list;
}

/** Addresses of `localhost` and the names below it, whatever a resolver answers. */
const LOOPBACK = ['127.0.0.1', '::1'];

const REFUSED = blockListOf(SPECIAL_NETWORKS.map((text) => parseNetwork(text)!));
const PUBLIC = blockListOf(PUBLIC_IPV6.map((text) => parseNetwork(text)!));
