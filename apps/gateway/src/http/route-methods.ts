import type { FastifyInstance } from 'fastify';

interface KnownPath {
  expression: RegExp;
  methods: Set<string>;
}

/** Which methods a path answers to. Asked only when a request found no route: it tells 405 from 404. */
export class RouteMethods {
  private readonly paths = new Map<string, KnownPath>();

  /** Learns every route that is added to `instance`, or to a part of it, from now on. */
  watch(instance: FastifyInstance): void {
    instance.addHook('onRoute', ({ method, url }) => {
      for (const one of [method].flat()) this.add(one, url);
    });
  }

  /** The methods that `path` (as it came, without the query) answers to, in alphabetical order; empty when it is unknown. */
  methodsOf(path: string): string[] {
    const found = new Set<string>();
    for (const { expression, methods } of this.paths.values()) {
      if (expression.test(path)) for (const method of methods) found.add(method);
    }
    if (found.size > 0) found.add('OPTIONS');
    return [...found].sort();
  }

  private add(method: string, url: string): void {
    const known = this.paths.get(url) ?? { expression: toExpression(url), methods: new Set<string>() };
    known.methods.add(method.toUpperCase());
    this.paths.set(url, known);
  }
}

function toExpression(url: string): RegExp {
  const pattern = url
    .split('/')
    .map((segment) => (segment.startsWith(':') ? '[^/]+' : segment === '*' ? '.*' : segment.replace(/[.+?^${}()|[\]\\*]/g, '\\$&')))
    .join('/');
  return new RegExp(`^${pattern}$`);
}
