import { pages } from '@tidings/contracts/pages';
import { escapeHtml, htmlPage } from './html';

const NAME = 'Tidings';

/** The links of `/`, as paths of this gateway. */
export function homeOf(version: string, mailbox: string | undefined): object {
  return {
    name: NAME,
    version,
    docs: '/docs',
    openapi: '/openapi.json',
    asyncapi: '/asyncapi.json',
    ...(mailbox !== undefined && { mailbox }),
    health: { live: '/health/live', ready: '/health/ready' },
  };
}

/** The pages linked from `/`. */
const LINKED: readonly string[] = ['/docs', '/openapi.json', '/asyncapi.json', '/health/ready', '/health/live'];

/** The same as an HTML page. */
export function homePage(version: string, mailbox: string | undefined): string {
  const links = [
    ...pages.filter(({ path }) => LINKED.includes(path)),
    ...(mailbox === undefined ? [] : [{ path: mailbox, summary: 'the development mailbox, for this machine alone' }]),
  ];
  const rows = links.map(
    ({ path, summary }) => `<tr><td><a href="${escapeHtml(path)}">${escapeHtml(path)}</a></td><td>${escapeHtml(summary)}</td></tr>`,
  );
  return htmlPage(
    NAME,
    `<h1>${NAME} <small>${escapeHtml(version)}</small></h1>
<p>A notification delivery service. Send <code>Authorization: Bearer &lt;API key&gt;</code> with every request to an operation.</p>
<table>${rows.join('\n')}</table>`,
  );
}
