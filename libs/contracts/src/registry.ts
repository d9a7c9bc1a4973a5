import 'reflect-metadata';
import type { DocumentedEvent } from './core/asyncapi';
import { compareRoutes, type OperationGroup } from './core/operation';
import type { AnyOperation } from './core/request-parts';
import * as resources from './resources';

const exported: readonly (OperationGroup | DocumentedEvent)[] = Object.values(resources);
const isEvent = (resource: OperationGroup | DocumentedEvent): resource is DocumentedEvent => typeof resource.topic === 'string';

/** Every event on a topic. */
export const events: readonly DocumentedEvent[] = exported.filter(isEvent);

/** Every group of operations. */
export const operationGroups = exported.filter((resource): resource is OperationGroup => !isEvent(resource));

/** Every operation of every service, in the order of the routes: compilers order the exports of a module differently. */
export const operations: readonly AnyOperation[] = operationGroups.flatMap((group) => Object.values(group)).sort(compareRoutes);
