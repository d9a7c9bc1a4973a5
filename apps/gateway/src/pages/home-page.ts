import { pages } from '@tidings/contracts/pages';
import { escapeHtml, htmlPage } from './html';

/** The links of `/`, as paths of this gateway. */
interface Home {
  readonly name: string;
  readonly version: string;
  readonly docs: string;
  readonly openapi: string;
  readonly asyncapi: string;
  /** Path of the host's development mailbox. */
  readonly mailbox?: string;
  readonly health: { readonly live: string; readonly ready: string };
}

export function homeOf(version: string, mailbox: string | undefined): Home {
  return {
    name: 'Tidings',
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

/** `Home` as an HTML page. */
export function homePage({ name, version, mailbox }: Home): string {
  const links = [
    ...pages.filter(({ path }) => LINKED.includes(path)),
    ...(mailbox === undefined ? [] : [{ path: mailbox, summary: 'the development mailbox, for this machine alone' }]),
  ];
  const rows = links.map(
    ({ path, summary }) => `<tr><td><a href="${escapeHtml(path)}">${escapeHtml(path)}</a></td><td>${escapeHtml(summary)}</td></tr>`,
  );
  return htmlPage(
    name,
    `<h1>${escapeHtml(name)} <small>${escapeHtml(version)}</small></h1>
<p>A notification delivery service. Send <code>Authorization: Bearer &lt;API key&gt;</code> with every request to an operation.</p>
<table>${rows.join('\n')}</table>`,
  );
}
