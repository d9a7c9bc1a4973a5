import { escapeHtml, htmlPage } from './html';

/** Where to go from `/`, as paths of this gateway. */
interface Home {
  readonly name: string;
  readonly version: string;
  readonly docs: string;
  readonly openapi: string;
  readonly asyncapi: string;
  /** Where the host of the gateway shows its development mailbox. */
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

/** The same for people. */
export function homePage({ name, version, docs, openapi, asyncapi, mailbox, health }: Home): string {
  const links: [path: string, meaning: string][] = [
    [docs, 'every operation, with an example'],
    [openapi, 'the same for machines (OpenAPI)'],
    [asyncapi, 'events on Kafka topics (AsyncAPI)'],
    ...(mailbox === undefined ? [] : [[mailbox, 'the development mailbox, for this machine alone'] satisfies [string, string]]),
    [health.ready, 'whether requests can be answered'],
    [health.live, 'whether the process answers'],
  ];
  const rows = links.map(
    ([path, meaning]) => `<tr><td><a href="${escapeHtml(path)}">${escapeHtml(path)}</a></td><td>${escapeHtml(meaning)}</td></tr>`,
  );
  return htmlPage(
    name,
    `<h1>${escapeHtml(name)} <small>${escapeHtml(version)}</small></h1>
<p>A notification delivery service. Send <code>Authorization: Bearer &lt;API key&gt;</code> with every request to an operation.</p>
<table>${rows.join('\n')}</table>`,
  );
}
