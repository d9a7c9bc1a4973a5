import type { SecureServerOptions } from 'node:http2';
import { CapturingHttp2 } from '@tidings/testing/capturing-http2';
import { cleanUps, LOOPBACK } from '../http/receiver.fixture';
import type { HttpAnswer } from '../vendor/http-call';
import { type Http2Options, Http2Transport } from './http2-transport';

/** Starts a `CapturingHttp2` that `cleanUp` stops. */
export async function startPeer(options?: SecureServerOptions): Promise<CapturingHttp2> {
  const peer = await CapturingHttp2.start(options);
  cleanUps.push(() => peer.stop());
  return peer;
}

/** A transport that `cleanUp` closes. */
export function openTransport(options: Partial<Http2Options> = {}): Http2Transport {
  const transport = new Http2Transport({ guard: LOOPBACK, ...options });
  cleanUps.push(() => Promise.resolve(transport.close()));
  return transport;
}

/** Requests of a transport to one peer. */
export function caller(transport: Http2Transport, url: string) {
  return (path: string, signal?: AbortSignal) =>
    transport.request({ url: new URL(path, url), method: 'POST', headers: { 'x-name': path }, body: `body of ${path}` }, signal);
}

export const OK = expect.objectContaining({ status: 200 }) as HttpAnswer;
