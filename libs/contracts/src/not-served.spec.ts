import { routeShape } from './core/openapi';
import type { Generation } from './core/operation';
import { notServed } from './not-served';
import { endpoints } from './operations-list';
import { operations } from './registry';

const shapes = (routes: readonly { method?: string; path?: string }[]): string[] =>
  routes.map(({ method, path }) => routeShape(method!, path!)).sort();
const served = operations.filter(({ route }) => route);

function counts(...generations: Generation[]): Record<string, number> {
  const count: Record<string, number> = {};
  for (const { resource, generation } of endpoints) if (generations.includes(generation)) count[resource] = (count[resource] ?? 0) + 1;
  return count;
}

const sum = (count: Record<string, number>): number => Object.values(count).reduce((one, other) => one + other, 0);

it('lists no route that is served', () => {
  expect(shapes(notServed).filter((shape) => shapes(served).includes(shape))).toEqual([]);
});

it('lists each endpoint once, whatever the names of its parameters', () => {
  expect(new Set(shapes(endpoints)).size).toBe(endpoints.length);
});

it('has the 103 endpoints of the Node SDK 7.10.2', () => {
  const count = counts('base');
  expect(count).toEqual({
    audiences: 5,
    'audit-events': 2,
    auth: 1,
    automations: 3,
    brands: 5,
    bulk: 5,
    inbound: 1,
    journeys: 2,
    lists: 10,
    messages: 5,
    notifications: 14,
    profiles: 8,
    providers: 6,
    requests: 1,
    'routing-strategies': 6,
    send: 1,
    tenants: 12,
    translations: 2,
    users: 14,
  });
  expect(sum(count)).toBe(103);
});

it('has the 154 endpoints of the Node SDK 9.1.0', () => {
  const count = counts('base', 'later');
  expect(count).toMatchObject({
    automations: 5,
    broadcasts: 11,
    digests: 2,
    journeys: 22,
    messages: 6,
    preferences: 11,
    tenants: 13,
    users: 17,
  });
  expect(sum(count)).toBe(154);
});

it('has the 168 endpoints of the Python SDK 9.13.0', () => {
  const count = counts('base', 'later', 'python');
  expect(count).toMatchObject({ notifications: 18, preferences: 14, previews: 6, providers: 7 });
  expect(sum(count)).toBe(168);
});

it('has the 2 endpoints of the specification that no SDK has, and 25 of older clients', () => {
  expect(counts('specification')).toEqual({ users: 1, events: 1 });
  expect(counts('legacy')).toEqual({ send: 2, notifications: 10, tenants: 4, users: 2, preferences: 4, events: 2, automations: 1 });
});
