import type { FastifyInstance } from 'fastify';

/** The methods of a path (undecoded, without the query) in alphabetical order; empty for an unknown path. */
export type MethodsOf = (path: string) => string[];

/** Records every route that is added later to `instance` or to a part of it: for requests without a route, to distinguish 405 from 404. */
export function watchMethods(instance: FastifyInstance): MethodsOf {
  const methodsByUrl = new Map<string, { expression: RegExp; methods: string[] }>();
  instance.addHook('onRoute', ({ method, url }) => {
    const { methods } = methodsByUrl.get(url) ?? {};
    methodsByUrl.set(url, { expression: toExpression(url), methods: [methods ?? [], method].flat() });
  });
  return (path) => {
    const methods = [...methodsByUrl.values()].filter(({ expression }) => expression.test(path)).flatMap((route) => route.methods);
    return methods.length > 0 ? [...new Set([...methods, 'OPTIONS'])].sort() : [];
  };
}

function toExpression(url: string) {
  const pattern = url
    .split('/')
    .map((segment) => (segment.startsWith(':') ? '[^/]+' : segment === '*' ? '.*' : segment.replace(/[.+?^${}()|[\]\\*]/g, '\\$&')))
    .join('/');
  return new RegExp(`^${pattern}$`);
}
