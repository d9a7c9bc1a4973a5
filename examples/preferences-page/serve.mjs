// Serves a page on which a user sees and changes their preferences. In Node without dependencies; from the repository's root:
//
//   TIDINGS_API_KEY=$(cat .tidings/api-key) node examples/preferences-page/serve.mjs [--user ada] [--port 8092] [--host 127.0.0.1]
//
// The API key stays here. The page gets a token for its user alone, with which it calls Tidings itself. Ctrl-C ends it.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

const tidings = process.env.TIDINGS_URL ?? 'http://127.0.0.1:8080';
const key = process.env.TIDINGS_API_KEY;
if (!key) throw new Error('TIDINGS_API_KEY must be an API key of Tidings: npm start stores it in .tidings/api-key');

const { values: options } = parseArgs({
  options: {
    user: { type: 'string', default: 'ada' },
    port: { type: 'string', default: '8092' },
    host: { type: 'string', default: '127.0.0.1' },
  },
});

const FILES = { '/': ['page.html', 'text/html; charset=utf-8'], '/page.js': ['page.js', 'text/javascript; charset=utf-8'] };
/** The page loads its own script and calls this server and Tidings, nothing else. */
const POLICY = `default-src 'none'; script-src 'self'; connect-src 'self' ${tidings}; base-uri 'none'; frame-ancestors 'none'`;

const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    console.error(error);
    response.writeHead(502).end();
  });
});

async function answer(request, response) {
  if (request.url === '/session') {
    // Who has signed in: replace it with the session of your application.
    const { user } = options;
    const session = JSON.stringify({ url: tidings, user, token: await tokenFor(user) });
    return response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end(session);
  }
  const [file, type] = FILES[request.url] ?? [];
  if (!file) return response.writeHead(404).end();
  const content = readFileSync(new URL(file, import.meta.url));
  return response.writeHead(200, { 'content-type': type, 'content-security-policy': POLICY }).end(content);
}

/** A token that reads and changes the preferences of this user, for an hour. */
async function tokenFor(user) {
  const response = await fetch(`${tidings}/auth/issue-token`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ scope: `user_id:${user} read:preferences write:preferences`, expires_in: '1 hour' }),
  });
  if (!response.ok) throw new Error(`POST /auth/issue-token: ${response.status} ${await response.text()}`);
  return (await response.json()).token;
}

server.listen(Number(options.port), options.host, () => {
  const { address, port } = server.address();
  console.log(`The preferences of ${options.user}: http://${address}:${port}`);
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close());
