import { askFor } from './callers';
import type { HttpConnection } from './http-connection';
import type { Product } from './product';
import { httpRequest } from './send-request';
import { type Percentiles, percentilesOf } from './statistics';

/** A whole body of subscribers may take up to its deadline. */
const FETCH_MS_MAX = 20_000;
const HOST = '127.0.0.1';

/** Something that is asked of a product with many rows. */
export interface Question {
  name: string;
  /** Path of the request, another one each time. */
  pathOf(number: number): string;
}

/** A product, what it is asked, and the connections of those who ask. */
export interface Asked {
  product: Product;
  questions: Question[];
  connections: HttpConnection[];
}

/** Asks one question again and again, from every connection, and throws where an answer is not 200. */
export async function ask({ product, questions, connections }: Asked, index: number, stretchMs: number): Promise<Percentiles> {
  const { name, pathOf } = questions[index]!;
  let number = 0;
  const { latencies, wrong } = await askFor(stretchMs, connections.length, async (caller) => {
    const status = await connections[caller]!.send(httpRequest('GET', pathOf(number++), HOST, product.key, ''));
    return status === 200 ? undefined : String(status);
  });
  if (wrong.size > 0) throw new Error(`${name} was answered otherwise: ${JSON.stringify([...wrong])}`);
  return percentilesOf(latencies);
}

/** One request, and its answer's body; `undefined` where it has none. @throws where it is refused. */
export async function request({ port, key }: Product, path: string, init: RequestInit = {}): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}`, ...(init.body && { 'content-type': 'application/json' }) };
  const response = await fetch(`http://${HOST}:${port}${path}`, { ...init, headers, signal: AbortSignal.timeout(FETCH_MS_MAX) });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return response.status === 204 ? undefined : response.json();
}
