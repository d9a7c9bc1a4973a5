import type { Operation, Parameter } from './openapi';

/** What was typed for a request: the values of its parameters by their keys, and its body. */
export interface Typed {
  readonly values: Readonly<Record<string, string>>;
  readonly body: string;
}

export function keyOf({ in: location, name }: Pick<Parameter, 'in' | 'name'>): string {
  return `${location} ${name}`;
}

/** What the fields of a request have at first: the examples of what is required. */
export function exampleOf({ parameters, body }: Operation): Typed {
  const required = parameters.filter((one) => one.required);
  return {
    values: Object.fromEntries(required.map((one) => [keyOf(one), textOf(one.example)])),
    body: body?.example === undefined ? '' : JSON.stringify(body.example, null, 2),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
}

/** The request's address and its options. Parameters without a value are left out. */
export function requestOf({ method, path, parameters, body }: Operation, typed: Typed): { target: string; init: RequestInit } {
  const given = parameters.flatMap((one) => {
    const value = typed.values[keyOf(one)] ?? '';
    return value === '' && one.in !== 'path' ? [] : [{ ...one, value }];
  });
  const inPath = given.filter((one) => one.in === 'path');
  const target = inPath.reduce((text, { name, value }) => text.replace(`{${name}}`, () => encodeURIComponent(value)), path);
  const query = new URLSearchParams(given.filter((one) => one.in === 'query').map(({ name, value }) => [name, value]));
  const headers = new Headers(Object.fromEntries(given.filter((one) => one.in === 'header').map(({ name, value }) => [name, value])));
  const hasBody = body !== undefined && typed.body.trim() !== '';
  if (hasBody) headers.set('content-type', body.types[0]!);
  return {
    target: query.size > 0 ? `${target}?${query.toString()}` : target,
    init: { method, headers, ...(hasBody && { body: typed.body }) },
  };
}
