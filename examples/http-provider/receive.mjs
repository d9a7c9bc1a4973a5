// A custom provider in Node without dependencies: receives messages from Tidings, checks their signature and answers with the outcome.
// From the repository's root:
//
//   RECEIVER_SECRET='at least sixteen characters' node examples/http-provider/receive.mjs [--port 8090] [--host 127.0.0.1]
//
// Replace the output in `deliver` with your own delivery. Ctrl-C ends it.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

/** Maximum age of a signature, against replays of recorded requests. */
const SIGNATURE_AGE_MS_MAX = 5 * 60_000;
/** Tidings accepts requests up to 6 MB and encodes attachments in base64. */
const BODY_BYTES_MAX = 16 * 1024 * 1024;
/** Cached answers, the oldest evicted first. A real receiver stores them persistently. */
const ANSWERED_MAX = 10_000;

const secret = process.env.RECEIVER_SECRET ?? '';
if (secret.length < 16) throw new Error('RECEIVER_SECRET must have at least 16 characters, the same as settings.secret in Tidings');

const { values: options } = parseArgs({
  options: { port: { type: 'string', default: '8090' }, host: { type: 'string', default: '127.0.0.1' } },
});

/** Answers by Idempotency-Key: a repeated call is delivered once. */
const answered = new Map();

const server = createServer((request, response) => {
  const reply = (status, body) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  receive(request)
    .then(({ status, body }) => reply(status, body))
    .catch((error) => {
      console.error(error);
      reply(500, { error: 'The receiver failed' }); // Tidings retries
    });
});

async function receive(request) {
  if (request.method !== 'POST') return { status: 405, body: { error: 'Only POST' } };
  const raw = await bodyOf(request);
  if (raw === undefined) return { status: 413, body: { error: 'Too large' } };
  if (!isSigned(request.headers['courier-signature'], raw)) return { status: 401, body: { error: 'Invalid signature' } };

  const key = request.headers['idempotency-key'];
  if (answered.has(key)) return answered.get(key);
  const answer = await deliver(JSON.parse(raw.toString('utf8')));
  if (answer.status < 500) storeAnswer(key, answer);
  return answer;
}

/** Your own delivery. The status and the body report its outcome. */
async function deliver({ message_id, channel, recipient, content }) {
  if (channel === 'sms' && !/^\+\d{6,15}$/.test(recipient.phone_number)) {
    return { status: 422, body: { cause: 'recipient', error: `${recipient.phone_number} is not a phone number` } };
  }
  console.log(JSON.stringify({ message_id, channel, recipient, content }));
  return { status: 200, body: { id: `example-${message_id}`, delivered: true } };
}

/** `courier-signature: t=<ms>,signature=<hex>`: the HMAC-SHA256 of `<t>.<raw body>` under the secret. */
function isSigned(header, raw) {
  const [, time, signature] = /^t=(\d{1,15}),signature=([0-9a-f]{64})$/.exec(header ?? '') ?? [];
  if (!time || Math.abs(Date.now() - Number(time)) > SIGNATURE_AGE_MS_MAX) return false;
  const expected = createHmac('sha256', secret).update(`${time}.`).update(raw).digest();
  return timingSafeEqual(expected, Buffer.from(signature, 'hex'));
}

async function bodyOf(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function storeAnswer(key, answer) {
  if (key === undefined) return;
  answered.set(key, answer);
  if (answered.size > ANSWERED_MAX) answered.delete(answered.keys().next().value);
}

server.listen(Number(options.port), options.host, () => console.log(`Listening at http://${options.host}:${server.address().port}/`));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close(() => process.exit(0)));
