import { callRepeatedly } from './callers';
import type { HttpConnection } from './http-connection';
import type { Product } from './product';
import { httpRequest } from './send-request';
import { type Percentiles, percentilesOf } from './statistics';

/** A full body of subscribers may take up to its deadline. */
const FETCH_MS_MAX = 20_000;
const HOST = '127.0.0.1';

/** A GET whose latency is measured. */
export interface Query {
  name: string;
  /** Path of request `number`. */
  pathOf(number: number): string;
}

/** A product, its queries, and one connection per caller. */
export interface QueriedProduct {
  product: Product;
  queries: Query[];
  connections: HttpConnection[];
}

/** Repeats one query on every connection for `periodMs`; resolves with its latencies in ms. @throws when an answer is not 200 */
export async function measureQuery(
  { product, queries, connections }: QueriedProduct,
  index: number,
  periodMs: number,
): Promise<Percentiles> {
  const { name, pathOf } = queries[index]!;
  let number = 0;
  const { latencies, wrong } = await callRepeatedly(periodMs, connections.length, async (caller) => {
    const status = await connections[caller]!.send(httpRequest('GET', pathOf(number++), HOST, product.key, ''));
    return status === 200 ? undefined : String(status);
  });
  if (wrong.size > 0) throw new Error(`${name}: answers other than 200: ${JSON.stringify([...wrong])}`);
  return percentilesOf(latencies);
}

/** Sends one request; resolves with the body of its answer, or `undefined` without one. @throws when it is refused */
export async function request({ port, key }: Product, path: string, init: RequestInit = {}): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}`, ...(init.body && { 'content-type': 'application/json' }) };
  const response = await fetch(`http://${HOST}:${port}${path}`, { ...init, headers, signal: AbortSignal.timeout(FETCH_MS_MAX) });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return response.status === 204 ? undefined : response.json();
}
