import { listItem, NO_BREAK } from './core/list-item';
import { compareRoutes, type Generation, type HttpMethod } from './core/operation';
import { notServed } from './not-served';
import { pages } from './pages';
import { operations } from './registry';

/** Features of similar products that have no route here, each with sample requests; the gateway answers 404. */
export const withoutRoutes: readonly { readonly what: string; readonly requests: readonly string[] }[] = [
  { what: 'the in-app inbox', requests: ['GET /inbox', 'POST /inbox/messages'] },
  { what: 'tracking of opens and clicks', requests: ['GET /tracking', 'POST /tracking/events'] },
  { what: 'duplicating a template', requests: ['POST /notifications/:id/duplicate'] },
];

/** Pages of docs/ by resource, in the order of the lists. */
export const GUIDES: Readonly<Record<string, readonly string[]>> = {
  auth: ['access.md'],
  send: ['sending.md'],
  messages: ['messages.md'],
  requests: ['messages.md'],
  profiles: ['users.md'],
  lists: ['lists.md'],
  audiences: ['audiences.md'],
  bulk: ['bulk.md'],
  brands: ['brands.md'],
  content: ['templates.md'],
  notifications: ['templates.md'],
  tenants: ['users.md', 'templates.md'],
  users: ['users.md', 'preferences.md'],
  preferences: ['preferences.md', 'users.md', 'unsubscribe.md'],
  translations: ['translations.md'],
  events: ['translations.md'],
  inbound: [],
  suppressions: ['suppressions.md'],
  providers: ['providers.md', 'callbacks.md'],
  webhooks: ['webhooks.md'],
  'routing-strategies': ['templates.md'],
  'audit-events': ['access.md'],
  console: ['console.md'],
};

const NOT_SERVED = 'not served yet';

/** What happens to unknown fields of bodies, in Markdown. */
const UNKNOWN_FIELDS = `## Unknown fields

\`PUT /tenants/acme\` with \`{"name": "Acme", "brandid": "red"}\` answers 400:

\`\`\`json
{ "message": "brandid is not a known field: the nearest is brand_id", "type": "invalid_request_error" }
\`\`\`

So does every operation whose body configures something, also for a nested field (\`topic.custom_rooting\`). Fields that
older clients send without an effect are known, and those of a resource as it was read: the answer of
\`GET /tenants/acme\` may be the body of \`PUT /tenants/acme\`, that of \`GET /notifications/:id\` the \`notification\` of a
PUT. What a write does not set (\`created\`, \`etag\`) has no effect there.

The body of a send, a bulk job, a tracked event or a profile is accepted with unknown fields. They are ignored, and
named in \`warnings\` of the history ([messages.md](messages.md)) or in the header \`x-tidings-warning\` of the answer.`;

/** A route of the interface, served by an operation or not. */
interface Endpoint {
  readonly method: HttpMethod;
  readonly path: string;
  readonly summary: string;
  readonly generation: Generation;
  /** The part of the interface, as clients group it. */
  readonly resource: string;
  readonly served: 'whole' | 'in part' | 'not yet';
}

const routed = operations.flatMap(({ method, path, summary, generation, servedInPart }) =>
  method && path ? [{ method, path, summary, generation, served: servedInPart ? ('in part' as const) : ('whole' as const) }] : [],
);

/** Every route of the interface, once. */
export const endpoints: readonly Endpoint[] = [...routed, ...notServed.map((route) => ({ ...route, served: 'not yet' as const }))]
  .map((route) => ({ ...route, resource: resourceOf(route.path) }))
  .sort(compareRoutes);

/** The first part of the path, but accounts are tenants under their older name. */
function resourceOf(path: string) {
  const [, first] = path.split('/');
  return first === 'accounts' ? 'tenants' : first!;
}

const byResource = [...new Set([...Object.keys(GUIDES), ...endpoints.map(({ resource }) => resource)])].map((resource) => {
  const all = endpoints.filter((endpoint) => endpoint.resource === resource);
  return { resource, all, missing: all.filter(({ served }) => served === 'not yet') };
});

/** README's summary of served and unserved operations, in Markdown. */
export function operationsSummary(): string {
  const whole = byResource.filter(({ all, missing }) => missing.length === all.length);
  const others = byResource.filter((one) => !whole.includes(one));
  const served = others.map(({ resource, all, missing }) => withCount(resource, all.length - missing.length));
  const single = others.flatMap(({ all, missing }) => shortenPaths(missing, all));
  const items = [
    `**Served**, with the number of operations: ${served.join(', ')}.`,
    `**501**, with \`x-should-retry: false\`, ${NOT_SERVED}: ${whole.map(({ resource, all }) => withCount(resource, all.length)).join(', ')}; and ${single.join(', ')}.`,
    `**404**, no part of the interface: ${withoutRoutes.map(({ what }) => what).join(', ')}.`,
  ];
  return items.map(listItem).join('\n');
}

/** Unserved routes by path: `…` ends a path that covers all routes below; the method is named if other methods of the path are served. */
function shortenPaths(missing: readonly Endpoint[], all: readonly Endpoint[]) {
  const isBelow = (path: string, above: string) => path === above || path.startsWith(`${above}/`);
  const whole = missing.map(({ path }) => path).filter((path) => all.every((one) => missing.includes(one) || !isBelow(one.path, path)));
  const tops = whole.filter((path, index) => !whole.some((other, at) => isBelow(path, other) && (path !== other || at < index)));
  const below = tops.map((top) => (missing.some(({ path }) => path !== top && isBelow(path, top)) ? `\`${top}…\`` : `\`${top}\``));
  const single = missing.filter(({ path }) => !whole.includes(path)).map(({ method, path }) => `\`${method} ${path}\``);
  return [...below, ...single];
}

/** Every operation and page, by resource, in Markdown. */
export function operationsList(): string {
  const sections = byResource.map(({ resource, all }) => {
    const guides = (GUIDES[resource] ?? []).map((file) => `[${file}](${file})`);
    const lines = all.map((endpoint) => listItem(`\`${endpoint.method} ${endpoint.path}\`: ${endpoint.summary}${statusNote(endpoint)}`));
    return `## ${resource}\n\n${guides.length > 0 ? `${guides.join(', ')}\n\n` : ''}${lines.join('\n')}`;
  });
  const absent = withoutRoutes.map(({ what, requests }) => listItem(`${what}: ${requests.map((request) => `\`${request}\``).join(', ')}`));
  return [
    '# Operations',
    operationsSummary(),
    UNKNOWN_FIELDS,
    ...sections,
    `## Pages\n\nWithout a credential:\n\n${pages.map(({ path, summary }) => listItem(`\`GET ${path}\`: ${summary}`)).join('\n')}`,
    `## Not part of the interface\n\nThese answer 404, like every path that is not on this page:\n\n${absent.join('\n')}\n`,
  ].join('\n\n');
}

function statusNote({ served }: Endpoint) {
  return { whole: '', 'in part': ' (in part; 501 for the rest)', 'not yet': ` (501, ${NOT_SERVED})` }[served];
}

/** The non-breaking space keeps name and count on one line. */
const withCount = (resource: string, count: number) => `${resource}${NO_BREAK}${count}`;
