/** Starts the build, sends a message over HTTP, reads it in the mailbox, stops the process. Exits with 1 when a step fails. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@tidings/runtime/free-port';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
/** Limits for a slow and busy machine. */
const START_MS_MAX = 180_000;
const DELIVER_MS_MAX = 60_000;
const POLL_MS = 50;

const directory = await mkdtemp(path.join(tmpdir(), 'tidings-smoke-'));
const port = await freePort();
const key = `pk_prod_smoke_${randomBytes(16).toString('hex')}`;
const child = spawn(process.execPath, [path.join(root, 'dist/standalone.js')], {
  cwd: directory,
  env: { ...process.env, PORT: String(port), TIDINGS_DATA_DIR: directory, TIDINGS_API_KEY: key },
  stdio: ['ignore', 'inherit', 'inherit'],
});
const exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)));

try {
  const base = `http://127.0.0.1:${port}`;
  await until('the gateway is ready', START_MS_MAX, async () => (await fetch(`${base}/health/ready`)).ok);

  const sentAt = performance.now();
  const sent = await call(`${base}/send`, {
    method: 'POST',
    body: JSON.stringify({
      message: { to: { email: 'ada@example.com' }, content: { title: 'Smoke', body: 'Hello {name}' }, data: { name: 'Ada' } },
    }),
  });
  const message = await until('the message is delivered', DELIVER_MS_MAX, async () => {
    const found = await call(`${base}/messages/${sent.requestId}`);
    return found.status === 'DELIVERED' && found;
  });
  console.log(`Delivered ${message.id} after ${Math.round(performance.now() - sentAt)} ms`);
  const mails = JSON.stringify(await (await fetch(`${base}/dev/mailbox`, { headers: { accept: 'application/json' } })).json());
  if (!mails.includes('Hello Ada') || !mails.includes('Smoke')) throw new Error(`The mail is not in the mailbox: ${mails.slice(0, 500)}`);
  const { results } = await call(`${base}/messages/${sent.requestId}/history`);
  const types = results.map(({ type }) => type).join(' ');
  if (types !== 'ENQUEUED PROFILE_LOADED ROUTED RENDERED DELIVERING SENT DELIVERED') throw new Error(`The history is ${types}`);
} finally {
  child.kill('SIGINT');
  const end = await exited;
  await rm(directory, { recursive: true, force: true });
  if (end !== 0) {
    console.error(`The standalone ended with ${end}`);
    process.exitCode = 1;
  }
}

async function call(url, init) {
  const response = await fetch(url, { ...init, headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' } });
  const body = await response.json();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${JSON.stringify(body)}`);
  return body;
}

async function until(what, limitMs, poll) {
  const end = performance.now() + limitMs;
  for (;;) {
    const found = await poll().catch(() => undefined);
    if (found) return found;
    if (performance.now() > end) throw new Error(`Not within ${limitMs} ms: ${what}`);
    if (child.exitCode !== null) throw new Error(`The standalone ended with ${child.exitCode} before ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
