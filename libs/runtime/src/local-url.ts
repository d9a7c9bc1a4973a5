import { isIPv6 } from 'node:net';

const EVERY_INTERFACE: readonly (string | undefined)[] = [undefined, '0.0.0.0', '::'];

/** The URL at which this machine reaches a server that listens at an IP address; `undefined`: at every one. */
export function localUrl(host: string | undefined, port: number) {
  const reached = EVERY_INTERFACE.includes(host) ? '127.0.0.1' : host!;
  return `http://${isIPv6(reached) ? `[${reached}]` : reached}:${port}`;
}
