import { Controller, Inject, Logger, Optional } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { CallContext } from '@tidings/contracts/core/context';
import { CommandTransactions } from '@tidings/contracts/core/command-transactions';
import { isGranted } from '@tidings/contracts/core/granted';
import type { Handlers } from '@tidings/contracts/core/handlers';
import { KeyedCalls } from '@tidings/contracts/core/idempotency';
import type { Operation, OperationGroup } from '@tidings/contracts/core/operation';
import { assertStorable } from '@tidings/contracts/core/text';
import { type Validator, validatorOf } from '@tidings/contracts/core/validator';
import type { EntityManager } from 'typeorm';
import { contextOf, encodeError, encodeOk, encodeStored, type ReplyRecord, type RequestRecord } from './envelope';

/** What a transport's server learns of a handler beside its pattern. */
export interface HandlerExtras {
  operation: Operation;
}

/** Properties that Nest injects into every handler class: what the service's database does for its handlers. */
const KEYED_CALLS = Symbol('keyedCalls');
const COMMANDS = Symbol('commandTransactions');
interface HandlerInstance {
  readonly [method: string]: Method;
  [KEYED_CALLS]?: KeyedCalls;
  [COMMANDS]?: CommandTransactions<EntityManager>;
}
type Method = (context: CallContext, request: object, tx?: EntityManager, prepared?: unknown) => Promise<unknown>;

const logger = new Logger('Operations');

/**
 * Registers a class as the handlers of every operation of a group. Compiles only if each operation has its method, with its types.
 * Nest routes the pattern to an adapter, which decodes the envelope, validates the request (PostgreSQL must be able to store it too)
 * and turns errors into error replies; it never throws. A `command` runs in the service's `CommandTransactions`, after its
 * `prepare…` method if it has one; a `present…` method makes the answer from the recorded one. Throws at once if the request's class cannot be compiled. A call with an `Idempotency-Key` goes through the service's `KeyedCalls`; without them it is refused.
 */
export function Handles<Group extends OperationGroup>(group: Group) {
  return <Self extends Handlers<Group, EntityManager, Self>>(target: new (...parameters: never[]) => Self): void => {
    Controller()(target);
    const prototype = target.prototype as HandlerInstance;
    for (const [key, token] of [
      [KEYED_CALLS, KeyedCalls],
      [COMMANDS, CommandTransactions],
    ] as const) {
      Optional()(prototype, key);
      Inject(token)(prototype, key);
    }
    for (const [name, operation] of Object.entries(group) as [string, Operation][]) {
      const adapter = `answer:${name}`;
      const read = validatorOf(operation.request);
      const descriptor = {
        configurable: true,
        value: function (this: HandlerInstance, record: RequestRecord): Promise<ReplyRecord> {
          const handler = operation.command ? commandOf(this, name) : this[name]!.bind(this);
          return answer(operation, read, record, { handler, present: presenterOf(this, name) }, this[KEYED_CALLS]);
        },
      };
      Object.defineProperty(prototype, adapter, descriptor);
      const extras: HandlerExtras = { operation };
      MessagePattern(operation.pattern, extras)(prototype, adapter, descriptor);
    }
  };
}

/** Makes an answer from what was recorded of it. */
type Presenter = (context: CallContext, recorded: unknown) => unknown;

const methodName = (prefix: string, name: string) => `${prefix}${name[0]!.toUpperCase()}${name.slice(1)}`;

function presenterOf(handlers: HandlerInstance, name: string): Presenter | undefined {
  return handlers[methodName('present', name)]?.bind(handlers) as Presenter | undefined;
}

/** Runs `prepare…`, then the command's method in its transaction. */
function commandOf(handlers: HandlerInstance, name: string): Method {
  const prepare = handlers[methodName('prepare', name)];
  return async (context, request) => {
    const commands = handlers[COMMANDS];
    if (!commands) throw new Error(`The service of ${handlers.constructor.name} provides no CommandTransactions`);
    const prepared = await prepare?.call(handlers, context, request);
    return commands.run(context, (tx) => handlers[name]!(context, request, tx, prepared));
  };
}

/** The gateway checks scopes; the service does not rely on it. Operations without a route are called by services. */
function assertGranted(operation: Operation, { scopes }: CallContext, request: object) {
  const { scope } = operation;
  if (scope === 'internal' || isGranted(operation, scopes, request as Record<string, unknown>)) return;
  throw new ServiceError('forbidden', `The credential lacks the scope ${scope}`);
}

/** The context of a call by an operator or a client whose change is audited names its type and target. */
function auditedBy(operation: Operation, request: object, context: CallContext): CallContext {
  const { audit, auditTarget, auditsChangesIf, pattern, pathParameters } = operation;
  if (audit === undefined || audit === 'own' || !context.actor) return context;
  const fields = auditTarget ?? pathParameters.slice(0, 1);
  const targetIdOf = (answer: unknown) => {
    // The answer names what the request may name by an alias.
    const sources = [answer ?? {}, request] as Record<string, string | undefined>[];
    if (fields.length === 0) return context.workspaceId;
    return fields.map((field) => sources.map((source) => source[field]).find(Boolean)).join('/');
  };
  const changesOnly = auditsChangesIf !== undefined && (request as Record<string, unknown>)[auditsChangesIf] === true;
  return { ...context, audit: { type: audit, operation: pattern, targetIdOf, changesOnly } };
}

async function answer(
  operation: Operation,
  read: Validator<object>,
  record: RequestRecord,
  { handler, present = (_context, recorded) => recorded }: { handler: Method; present?: Presenter },
  keyedCalls: KeyedCalls | undefined,
): Promise<ReplyRecord> {
  try {
    const request = read(JSON.parse(record.body));
    if (!operation.allowsUnstorable) assertStorable(request, '');
    const context = auditedBy(operation, request, contextOf(record.headers));
    assertGranted(operation, context, request);
    if (!context.requestKey) return encodeOk(present(context, await handler(context, request)));

    if (!keyedCalls) throw new Error(`${operation.pattern} was called with an Idempotency-Key, and the service stores no answers`);
    const secret = operation.secretAnswer ?? false;
    const stored = await keyedCalls.answer(context, context.requestKey, { secret }, (own) => handler(own, request));
    if ('error' in stored.outcome) return encodeStored(stored);
    return encodeStored({ ...stored, outcome: { ok: present(context, stored.outcome.ok) } });
  } catch (error) {
    if (!(error instanceof ServiceError)) {
      const { callId: requestId, workspace: workspaceId } = record.headers;
      logger.error({ err: error, requestId, workspaceId, operation: operation.pattern }, `${operation.pattern} failed`);
    }
    return encodeError(error);
  }
}
