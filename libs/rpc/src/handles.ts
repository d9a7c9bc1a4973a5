import { Controller, Inject, Logger, Optional } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { CallContext } from '@tidings/contracts/core/context';
import type { Handlers } from '@tidings/contracts/core/handlers';
import { KeyedCalls } from '@tidings/contracts/core/idempotency';
import type { Operation, OperationGroup } from '@tidings/contracts/core/operation';
import { validate } from '@tidings/contracts/core/validator';
import { contextOf, encodeError, encodeOk, encodeReplay, type ReplyRecord, type RequestRecord } from './envelope';

type HandlerClass<Group extends OperationGroup> = new (...parameters: never[]) => Handlers<Group>;

/** What a transport's server learns of a handler beside its pattern. */
export interface HandlerExtras {
  operation: Operation;
}

/** Where Nest puts the service's memory of keyed calls, on every class of handlers. */
const KEYED_CALLS = 'tidings:keyedCalls';
interface WithKeyedCalls {
  [KEYED_CALLS]?: KeyedCalls;
}

const logger = new Logger('Operations');

/**
 * Makes a class the answer to every operation of a group. Compiles only if each operation has its method, with its types.
 * Nest routes the pattern to an adapter beside the method; the adapter opens the envelope, validates the request and
 * turns what is thrown into an error reply. It never throws itself. A call under an `Idempotency-Key` goes through the service's
 * `KeyedCalls`; where there are none it is refused.
 */
export function Handles<Group extends OperationGroup>(group: Group) {
  return <Class extends HandlerClass<Group>>(target: Class): void => {
    Controller()(target);
    Optional()(target.prototype as object, KEYED_CALLS);
    Inject(KeyedCalls)(target.prototype as object, KEYED_CALLS);
    for (const [name, operation] of Object.entries(group) as [string, Operation][]) {
      const adapter = `answer:${name}`;
      Object.defineProperty(target.prototype, adapter, {
        configurable: true,
        value: function (this: Handlers<Group> & WithKeyedCalls, record: RequestRecord): Promise<ReplyRecord> {
          return answer(operation, record, this[name as keyof Group].bind(this), this[KEYED_CALLS]);
        },
      });
      const extras: HandlerExtras = { operation };
      const descriptor = Object.getOwnPropertyDescriptor(target.prototype, adapter)!;
      MessagePattern(operation.pattern, extras)(target.prototype as object, adapter, descriptor);
    }
  };
}

async function answer(
  operation: Operation,
  record: RequestRecord,
  handler: (context: CallContext, request: never) => Promise<unknown>,
  keyedCalls: KeyedCalls | undefined,
): Promise<ReplyRecord> {
  try {
    const request = validate(operation.request, JSON.parse(record.body) as object);
    const context = contextOf(record.headers);
    if (!context.requestKey) return encodeOk(await handler(context, request as never));

    if (!keyedCalls) throw new Error(`${operation.pattern} was asked for under a key, and the service keeps no answers`);
    const secret = operation.secretAnswer ?? false;
    const kept = await keyedCalls.answer(context, context.requestKey, { secret }, (own) => handler(own, request as never));
    if (kept.replayed) return encodeReplay(kept);
    return 'error' in kept.outcome ? JSON.stringify(kept.outcome) : encodeOk(kept.outcome.ok);
  } catch (error) {
    if (!(error instanceof ServiceError)) {
      logger.error({ err: error, callId: record.headers.callId, operation: operation.pattern }, `${operation.pattern} failed`);
    }
    return encodeError(error);
  }
}
