import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { answerError, answerText } from '../http/answers';
import { encodingFor } from '../http/encodings';
import { outputPolicy } from '../http/output-policy';
import { lazy } from '../lazy';
import { HTML_TYPE, htmlPage, PAGE_POLICY } from '../pages/html';
import { type BuiltConsole, type ConsoleFile, readConsole } from './console-files';

/** In the page, where the nonce of the answer belongs. */
const NONCE_TEXT = '__CSP_NONCE__';
const NONCE_BYTES = 16;
/** In the page, what browsers without scripts show. */
const NO_SCRIPT = /<noscript>[^]*?<\/noscript>/;
/** Files below it have a hash of their content in their names; what is missing there is no address of the page. */
const ASSETS = 'assets/';
/** Operations; no address of the page either. */
const OPERATIONS = 'api/';

const policyOf = (nonce: string) =>
  `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; connect-src 'self'; img-src 'self' data:; font-src 'self'; ` +
  "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** Where the console shows mails that it has from an answer: the page writes them into this document, which has a policy of its own. */
const FRAME = '/console/frame';
const FRAME_PAGE = '<!doctype html><title>Rendered output</title>';

const NOT_BUILT = htmlPage(
  'Console',
  `<h1>The console is not built</h1>
<p>In the folder of Tidings run <code>npm run build</code>, then start it again. <a href="/openapi.json">/openapi.json</a> has the operations.</p>`,
);

/**
 * Serves the console at `/console` and below: every address that is no file is one of the page.
 * @param directory default: that of the product.
 */
export function routeConsole(instance: FastifyInstance, directory?: string) {
  const built = readConsole(directory);
  instance.get(FRAME, answerFrame);
  instance.get('/console', (_request, reply) => answerPage(reply, built));
  instance.get<{ Params: { '*': string } }>('/console/*', (request, reply) => {
    const name = request.params['*'];
    const file = built?.files.get(name);
    if (file) return void answerFile(request, reply, file, name.startsWith(ASSETS));
    if (name.startsWith(OPERATIONS) || name.startsWith(ASSETS)) return answerMissing(reply);
    answerPage(reply, built);
  });
}

/**
 * Serves the API reference at `/docs` and below: the console's page, which shows the reference alone there.
 * @param withoutScript what browsers without scripts show, as HTML
 * @param directory default: that of the product
 */
export function routeReference(instance: FastifyInstance, withoutScript: () => string, directory?: string) {
  const built = readConsole(directory);
  const pageOf = lazy(() => built?.page.replace(NO_SCRIPT, () => `<noscript>${withoutScript()}</noscript>`) ?? '');
  const answer = (_request: FastifyRequest, reply: FastifyReply) => answerPage(reply, built && { ...built, page: pageOf() });
  for (const address of ['/docs', '/docs/*']) instance.get(address, answer);
}

function answerPage(reply: FastifyReply, built: BuiltConsole | undefined) {
  const { raw } = reply;
  const nonce = randomBytes(NONCE_BYTES).toString('base64');
  raw.setHeader('content-security-policy', built ? policyOf(nonce) : PAGE_POLICY);
  raw.setHeader('cache-control', 'no-store');
  raw.setHeader('x-content-type-options', 'nosniff');
  raw.setHeader('referrer-policy', 'no-referrer');
  raw.setHeader('cross-origin-opener-policy', 'same-origin');
  if (built) answerText(reply, 200, HTML_TYPE, built.page.replaceAll(NONCE_TEXT, nonce));
  else answerText(reply, 404, HTML_TYPE, NOT_BUILT);
}

/**
 * An empty document without scripts, of the console's origin, so that the console can fill it. A document of the page itself (`srcdoc`,
 * `blob:`) would have the page's policy, which refuses the styles of a mail.
 */
function answerFrame(request: FastifyRequest, reply: FastifyReply) {
  const { raw } = reply;
  const loadsImages = new URLSearchParams(request.originalUrl.split('?')[1]).get('images') === 'remote';
  raw.setHeader('content-security-policy', outputPolicy(loadsImages, 'sandbox allow-same-origin'));
  raw.setHeader('cache-control', 'no-store');
  raw.setHeader('x-content-type-options', 'nosniff');
  raw.setHeader('referrer-policy', 'no-referrer');
  answerText(reply, 200, HTML_TYPE, FRAME_PAGE);
}

async function answerFile(request: FastifyRequest, reply: FastifyReply, found: ConsoleFile, isHashed: boolean) {
  const encoding = encodingFor(found.compressed.keys(), request.headers['accept-encoding']?.toString());
  let content: Buffer;
  try {
    content = await readFile(encoding === undefined ? found.file : found.compressed.get(encoding)!);
  } catch {
    return answerMissing(reply); // another build replaced it
  }
  const { raw } = reply;
  if (raw.headersSent) return;
  raw.setHeader('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
  raw.setHeader('x-content-type-options', 'nosniff');
  raw.setHeader('vary', 'accept-encoding');
  if (encoding !== undefined) raw.setHeader('content-encoding', encoding);
  answerText(reply, 200, found.type, content);
}

function answerMissing(reply: FastifyReply) {
  answerError(reply, new ServiceError('not_found', 'Not Found: nothing is served here'));
}
