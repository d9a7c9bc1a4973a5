import { fetchInSession } from '../api/client';
import type { requestOf } from './request';

/** An answer as it came. */
export interface Answered {
  readonly status: string;
  readonly durationMs: number;
  readonly headers: string;
  readonly body: string;
}

/** Sends a request as the session, or with a key. @param key `undefined`: as the session of the browser */
export async function send({ target, init }: ReturnType<typeof requestOf>, key: string | undefined): Promise<Answered> {
  const startedAt = performance.now();
  const response = await (key === undefined ? fetchInSession(new Request(target, init)) : fetch(withKey(target, init, key)));
  const body = await response.text();
  return {
    status: `${response.status} ${response.statusText}`.trim(),
    durationMs: performance.now() - startedAt,
    headers: [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n'),
    body: indented(body),
  };
}

/** A request without cookies. */
function withKey(target: string, init: RequestInit, key: string): Request {
  const request = new Request(target, { ...init, credentials: 'omit' });
  if (key !== '') request.headers.set('authorization', `Bearer ${key}`);
  return request;
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
