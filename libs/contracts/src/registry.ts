import 'reflect-metadata';
import type { Dto, OperationGroup } from './core/operation';
import type { EventDefinition } from './core/event';
import type { AnyOperation } from './core/request-parts';
import { accessChanged, keys } from './identity/keys';
import { profiles } from './identity/profiles';
import { recipients } from './identity/recipients';
import { workspaces } from './identity/workspaces';
import { messageHistory, messageRequested, messageStatus } from './messaging/events';
import { messages } from './messaging/messages';
import { send } from './messaging/send';

/** An event whose payload is of no interest: what topics and documentation are made from. */
export interface AnyEvent extends Omit<EventDefinition<{ workspaceId: string }>, 'key' | 'payload' | 'keyOf'> {
  readonly key: readonly string[];
  readonly payload: Dto;
}

/** Every group of operations. A new group is served, documented and tested once it stands here. */
export const operationGroups: readonly OperationGroup[] = [keys, workspaces, profiles, recipients, send, messages];

/** Every operation of every service. */
export const operations: readonly AnyOperation[] = operationGroups.flatMap((group) => Object.values(group));

/** Every event on a topic. */
export const events: readonly AnyEvent[] = [accessChanged, messageRequested, messageHistory, messageStatus];
