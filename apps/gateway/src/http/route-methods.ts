import type { FastifyInstance } from 'fastify';

interface RoutedPath {
  expression: RegExp;
  methods: Set<string>;
}

/** The methods of each routed path. Used for requests without a route, to distinguish 405 from 404. */
export class RouteMethods {
  private readonly paths = new Map<string, RoutedPath>();

  /** Records every route that is added later to `instance` or to a part of it. */
  watch(instance: FastifyInstance): void {
    instance.addHook('onRoute', ({ method, url }) => {
      for (const one of [method].flat()) this.add(one, url);
    });
  }

  /** The methods of `path` (undecoded, without the query) in alphabetical order; empty for an unknown path. */
  methodsOf(path: string): string[] {
    const found = new Set<string>();
    for (const { expression, methods } of this.paths.values()) {
      if (expression.test(path)) for (const method of methods) found.add(method);
    }
    if (found.size > 0) found.add('OPTIONS');
    return [...found].sort();
  }

  private add(method: string, url: string): void {
    const path = this.paths.get(url) ?? { expression: toExpression(url), methods: new Set<string>() };
    path.methods.add(method.toUpperCase());
    this.paths.set(url, path);
  }
}

function toExpression(url: string): RegExp {
  const pattern = url
    .split('/')
    .map((segment) => (segment.startsWith(':') ? '[^/]+' : segment === '*' ? '.*' : segment.replace(/[.+?^${}()|[\]\\*]/g, '\\$&')))
    .join('/');
  return new RegExp(`^${pattern}$`);
}
