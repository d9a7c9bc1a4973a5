/** What a gateway answers to GET beside the operations, without a credential. */
export const pages = [
  { path: '/', summary: 'the version, and where to go from here: a page for browsers, JSON for everybody else' },
  { path: '/docs', summary: 'every operation, by resource' },
  { path: '/docs/:resource', summary: 'the operations of one resource, each with its fields and an example' },
  { path: '/openapi.json', summary: 'the same for machines (OpenAPI)' },
  { path: '/asyncapi.json', summary: 'events on Kafka topics (AsyncAPI)' },
  { path: '/health/ready', summary: 'whether requests can be answered' },
  { path: '/health/live', summary: 'whether the process answers' },
  { path: '/metrics', summary: 'numbers for Prometheus; 404 where `MANAGEMENT_PORT` is another port, which has them' },
] as const satisfies readonly { path: `/${string}`; summary: string }[];
