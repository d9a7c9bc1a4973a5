/** Pages that a gateway serves on GET without a credential. */
export const pages = [
  { path: '/', summary: 'the version and links: a page for browsers, JSON for other clients' },
  { path: '/console', summary: 'the console: what became of messages, and users' },
  { path: '/docs', summary: 'the API reference: every operation and event, with search, examples and requests to try' },
  { path: '/docs/*', summary: 'the reference of one operation or topic' },
  { path: '/openapi.json', summary: 'operations for tools (OpenAPI)' },
  { path: '/asyncapi.json', summary: 'events on Kafka topics (AsyncAPI)' },
  { path: '/health/ready', summary: 'whether requests can be answered' },
  { path: '/health/live', summary: 'whether the process answers' },
  { path: '/metrics', summary: 'Prometheus metrics; 404 where `MANAGEMENT_PORT` is another port, which serves them' },
] as const satisfies readonly { path: `/${string}`; summary: string }[];
