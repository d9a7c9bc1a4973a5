import { type WaitOptions, waitUntil } from '@tidings/testing/wait-until';

/** Request timeout in ms, longer than any deadline of the product. */
const ANSWER_TIMEOUT_MS = 30_000;
const STATUS_POLL_MS = 50;

export interface Answer<Body = unknown> {
  status: number;
  headers: Headers;
  /** Parsed when the content type is JSON, else the text. */
  body: Body;
  /** Time from the request to the end of the body. */
  ms: number;
}

export interface ErrorBody {
  message: string;
  type: string;
}

export interface MessageRecord {
  id: string;
  status: string;
  recipient: string;
  reason?: string;
  error?: string;
  enqueued: number;
  sent?: number;
  delivered?: number;
  providers: {
    channel: { key: string; template: string };
    provider: string;
    configuration_id?: string;
    alias?: string;
    /** Absent while the route is in progress. */
    status?: string;
    attempts?: number;
    next_attempt?: number;
    sent?: number;
    delivered?: number;
    error?: string;
    reference?: Record<string, string>;
  }[];
}

export interface HistoryEvent extends Record<string, unknown> {
  ts: number;
  type: string;
}

export interface RequestOptions {
  /** Sent as JSON; a string is sent unchanged. */
  body?: unknown;
  headers?: Record<string, string>;
}

/** HTTP client of the product: one request, one answer, no retries unless a method states them. */
export class ApiClient {
  /** Without a key, requests carry no credential. */
  constructor(
    readonly url: string,
    readonly key?: string,
  ) {}

  /** Resolves with the answer of any status; rejects when the connection ends without one. */
  request<Body = unknown>(method: string, path: string, options: RequestOptions = {}): Promise<Answer<Body>> {
    return this.requestAt<Body>(this.url, method, path, options);
  }

  protected async requestAt<Body>(url: string, method: string, path: string, { body, headers }: RequestOptions): Promise<Answer<Body>> {
    const startedAt = performance.now();
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(this.key && { authorization: `Bearer ${this.key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
      redirect: 'manual',
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type') === 'application/json' && text !== '';
    const ms = performance.now() - startedAt;
    return { status: response.status, headers: response.headers, body: (isJson ? JSON.parse(text) : text) as Body, ms };
  }

  get<Body = unknown>(path: string): Promise<Answer<Body>> {
    return this.request<Body>('GET', path);
  }

  /** POST /send of a short e-mail; resolves with the answer of any status. */
  trySend(email: string, message: object = {}): Promise<Answer<{ requestId: string } & ErrorBody>> {
    const content = { title: 'Order shipped', body: 'Your order **{order}** has shipped.' };
    return this.request('POST', '/send', { body: { message: { to: { email }, content, data: { order: 'A-17' }, ...message } } });
  }

  /** Sends a short e-mail and resolves with the message id; anything but 202 is an error. */
  async send(email: string, message: object = {}): Promise<string> {
    const { status, body } = await this.trySend(email, message);
    if (status !== 202) throw new Error(`POST /send answered ${status}: ${JSON.stringify(body)}`);
    return body.requestId;
  }

  /** GET that retries 503 with `Retry-After`: a message accepted a moment ago may not be visible yet. */
  getWithRetry<Body>(path: string): Promise<Answer<Body>> {
    const attempt = async (): Promise<Answer<Body> | undefined> => {
      const answer = await this.get<Body>(path);
      return answer.status === 503 && answer.headers.has('retry-after') ? undefined : answer;
    };
    return waitUntil(attempt, { what: `GET ${path} to be answered` });
  }

  async message(id: string): Promise<MessageRecord> {
    const { status, body } = await this.getWithRetry<MessageRecord>(`/messages/${id}`);
    if (status !== 200) throw new Error(`GET /messages/${id} answered ${status}: ${JSON.stringify(body)}`);
    return body;
  }

  async history(id: string): Promise<HistoryEvent[]> {
    const { status, body } = await this.getWithRetry<{ results: HistoryEvent[] }>(`/messages/${id}/history`);
    if (status !== 200) throw new Error(`GET /messages/${id}/history answered ${status}: ${JSON.stringify(body)}`);
    return body.results;
  }

  /** Resolves with the record once it has that status; rejects at once on another final status. */
  async messageOnce(status: string, id: string, options: WaitOptions = {}): Promise<MessageRecord> {
    let last: MessageRecord | undefined;
    const reached = async (): Promise<MessageRecord | undefined> => {
      last = await this.message(id);
      return last.status === status || isFinal(last.status) ? last : undefined;
    };
    const record = await waitUntil(reached, {
      intervalMs: STATUS_POLL_MS,
      timeoutMs: 60_000,
      what: `message ${id} ${status}`,
      ...options,
    }).catch((error: Error) => {
      throw new Error(`${error.message}; last record: ${JSON.stringify(last)}`, { cause: error });
    });
    if (record.status !== status) throw new Error(`Message ${id} is not ${status} but: ${JSON.stringify(record)}`);
    return record;
  }
}

const FINAL = ['DELIVERED', 'UNDELIVERABLE', 'UNROUTABLE', 'UNMAPPED', 'FILTERED', 'SIMULATED', 'CANCELED'];
const isFinal = (status: string): boolean => FINAL.includes(status);
