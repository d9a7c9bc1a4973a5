import { type NotServedRoute, routeShape } from './core/openapi';
import { endpoints } from './endpoints';
import { operations } from './registry';

const served = new Set(operations.flatMap(({ method, path }) => (method && path ? [routeShape(method, path)] : [])));

/** Routes of the interface that no operation serves yet; the gateway answers 501. */
export const notServed: readonly NotServedRoute[] = endpoints.filter(({ method, path }) => !served.has(routeShape(method, path)));
