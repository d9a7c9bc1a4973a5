// A service that sends a message and waits for its outcome, in Node without dependencies. From the repository's root:
//
//   TIDINGS_API_KEY=$(cat .tidings/api-key) node examples/send-and-wait/service.mjs [--port 8091] [--host 127.0.0.1]
//
// `POST /orders/A-17/shipped` with {"email": "ada@example.com"} answers with the outcome. Ctrl-C ends it.

import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const tidings = process.env.TIDINGS_URL ?? 'http://127.0.0.1:8080';
const key = process.env.TIDINGS_API_KEY;
if (!key) throw new Error('TIDINGS_API_KEY must be an API key of Tidings: npm start stores it in .tidings/api-key');

const { values: options } = parseArgs({
  options: { port: { type: 'string', default: '8091' }, host: { type: 'string', default: '127.0.0.1' } },
});

/** Statuses of a message that is still being processed. */
const PENDING = ['ENQUEUED', 'ROUTED', 'DELAYED', 'THROTTLED', 'DIGESTED'];
/** A mail server that is down delays a message for hours: then the answer is the status so far. */
const WAIT_MS_MAX = 30_000;
const POLL_MS_MIN = 100;
const POLL_MS_MAX = 2_000;
const ATTEMPTS_MAX = 5;
const RETRY_MS_MAX = 10_000;

const server = createServer((request, response) => {
  const reply = (status, body) => response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
  answer(request)
    .then(({ status, body }) => reply(status, body))
    .catch((error) => {
      console.error(error);
      reply(502, { error: error.message });
    });
});

async function answer(request) {
  const order = /^\/orders\/([\w-]{1,50})\/shipped$/.exec(request.url)?.[1];
  if (request.method !== 'POST' || !order) return { status: 404, body: { error: 'Only POST /orders/ORDER/shipped' } };
  let text = '';
  for await (const part of request.setEncoding('utf8')) text += part;
  const { email } = JSON.parse(text);

  const { requestId } = await call('POST', '/send', {
    // A repeated request sends once: it gets the first answer.
    idempotencyKey: `order-shipped-${order}`,
    body: {
      message: {
        to: { email },
        content: { title: 'Order {order}', body: 'Your order **{order}** has shipped.' },
        data: { order },
      },
    },
  });
  const { status, reason, error } = await outcomeOf(requestId);
  return { status: PENDING.includes(status) ? 202 : 200, body: { messageId: requestId, status, reason, error } };
}

/** The message, once it is final or `WAIT_MS_MAX` has passed. For one recipient the id of the request is that of the message. */
async function outcomeOf(id) {
  const until = Date.now() + WAIT_MS_MAX;
  for (let pauseMs = POLL_MS_MIN; ; pauseMs = Math.min(2 * pauseMs, POLL_MS_MAX)) {
    const message = await call('GET', `/messages/${id}`);
    if (!PENDING.includes(message.status) || Date.now() > until) return message;
    await delay(pauseMs);
  }
}

/** Calls Tidings, and again where that may help: without an answer, for 429 and for 5xx. */
async function call(method, path, { body, idempotencyKey } = {}) {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
  };
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(tidings + path, { method, headers, body: body && JSON.stringify(body) }).catch((error) => ({ error }));
    if (response.ok) return response.json();
    const isFinal = response.status < 500 && response.status !== 429;
    if (isFinal || attempt === ATTEMPTS_MAX)
      throw new Error(`${method} ${path}: ${response.error?.message ?? `${response.status} ${await response.text()}`}`);
    const retryAfterMs = 1_000 * Number(response.headers?.get('retry-after') ?? attempt / 2);
    await delay(Math.min(retryAfterMs, RETRY_MS_MAX));
  }
}

server.listen(Number(options.port), options.host, () => {
  const { address, port } = server.address();
  console.log(`Listening on http://${address}:${port}, sending through ${tidings}`);
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close());
