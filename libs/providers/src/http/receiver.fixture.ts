import { parseNetwork } from '@tidings/contracts/core/network';
import { CapturingHttp } from '@tidings/testing/capturing-http';
import { waitUntil } from '@tidings/testing/wait-until';
import type { Attempt } from '../provider';
import { AddressGuard, type AddressGuardOptions } from './guard/address-guard';
import { HttpProvider, type HttpProviderOptions, type HttpProviderSettings } from './http-provider';

/** Starts a `CapturingHttp` that `cleanUp` stops. */
export async function startReceiver(): Promise<CapturingHttp> {
  const receiver = await CapturingHttp.start();
  cleanUps.push(() => receiver.stop());
  return receiver;
}

export const cleanUps: (() => Promise<void>)[] = [];
/** Stops what the test started; for `afterEach`. */
export async function cleanUp(): Promise<void> {
  for (const step of cleanUps.splice(0).reverse()) await step();
}

/** A guard that allows these networks and the public ones. */
export function guardOf(networks: readonly string[], options: AddressGuardOptions = {}): AddressGuard {
  return new AddressGuard({ ...options, allowed: networks.map((network) => parseNetwork(network)!) });
}

export const LOOPBACK = guardOf(['127.0.0.1/32']);

/** A provider that sends messages to `url`. */
export function open(url: string, settings: Partial<HttpProviderSettings> = {}, options: Partial<HttpProviderOptions> = {}): HttpProvider {
  const provider = new HttpProvider({ url: new URL(url), secret: 'a secret of some length', ...settings }, { guard: LOOPBACK, ...options });
  cleanUps.push(() => provider.close());
  return provider;
}

/** As `open`, with an open connection, so that the time of the next call includes no connecting. */
export async function openConnected(receiver: CapturingHttp, options: Partial<HttpProviderOptions>): Promise<HttpProvider> {
  const provider = open(receiver.url, {}, options);
  const { answering } = receiver;
  receiver.answer(200);
  await waitUntil(async () => (await provider.send(SMS, ADA, attempt())).kind === 'accepted', { what: 'a connection' });
  receiver.answering = answering;
  return provider;
}

export function attempt(overrides: Partial<Attempt> = {}): Attempt {
  return {
    messageId: '1-5e2b2615-05efbb3acab9172f88dd3f6f',
    idempotencyKey: '1-5e2b2615-05efbb3acab9172f88dd3f6f.0',
    number: 1,
    renderedAt: new Date('2026-03-01T10:00:00Z'),
    ...overrides,
  };
}

export const SMS = { kind: 'sms', sms: { text: 'Shipped' } } as const;
export const ADA = { channel: 'sms', phone_number: '+4915123456789' } as const;
