import createClient from 'openapi-fetch';
import { texts } from '../texts';
import { isBackground } from './background';
import type { paths } from './schema';

const CSRF_HEADER = 'x-tidings-csrf';
/** Requests that have it are no use of the session. */
const BACKGROUND_HEADER = 'x-tidings-background';
const UNSAFE_METHODS = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** A request without success: `status` is that of the answer, 0 without an answer. The message is for people. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    message: string,
    readonly retryAfterSeconds?: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

let csrf: string | undefined;
let onSessionEnd: () => void = () => undefined;

/** Sets the token that unsafe requests carry; `undefined` without a session. */
export function setCsrf(token: string | undefined): void {
  csrf = token;
}

/** Calls `listener` when an answer says that there is no session any more. */
export function whenSessionEnds(listener: () => void): void {
  onSessionEnd = listener;
}

/**
 * Sends a request as the session. Another tab may have signed in anew: then the request is repeated once, with the token of the session
 * that there is now.
 */
export async function fetchInSession(request: Request): Promise<Response> {
  const response = await fetch(withHeaders(request.clone()));
  if (response.status !== 403 || !UNSAFE_METHODS.has(request.method)) return response;
  if (!(await response.clone().text()).includes(CSRF_HEADER)) return response;
  const { session } = (await (await fetch('/console/api/session')).json()) as { session: { csrf: string } | null };
  if (!session || session.csrf === csrf) return response;
  setCsrf(session.csrf);
  return fetch(withHeaders(request));
}

function withHeaders(request: Request): Request {
  if (csrf !== undefined && UNSAFE_METHODS.has(request.method)) request.headers.set(CSRF_HEADER, csrf);
  if (isBackground()) request.headers.set(BACKGROUND_HEADER, '1');
  return request;
}

/** Every operation of the interface, typed by its OpenAPI document; the session's cookie is the credential. */
export const api = createClient<paths>({ baseUrl: '/', fetch: fetchInSession });

/** The body of a successful answer. @throws ApiError for any other, and where there is none */
export async function answerOf<Data>(call: Promise<{ data?: Data; error?: unknown; response: Response }>): Promise<Data> {
  let result: Awaited<typeof call>;
  try {
    result = await call;
  } catch (error) {
    throw new ApiError(0, texts.problems.unreachable, undefined, { cause: error });
  }
  const { data, error, response } = result;
  if (response.ok) return data as Data;
  if (response.status === 401 && csrf !== undefined) onSessionEnd();
  throw new ApiError(response.status, messageIn(error) ?? texts.problems.status(response.status), retryAfterOf(response));
}

function messageIn(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('message' in body)) return undefined;
  return typeof body.message === 'string' ? body.message : undefined;
}

function retryAfterOf({ headers }: Response): number | undefined {
  const seconds = Number(headers.get('retry-after'));
  return Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
}
