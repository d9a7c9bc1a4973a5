import { Controller, Logger } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { Handlers } from '@tidings/contracts/core/handlers';
import type { Operation, OperationGroup } from '@tidings/contracts/core/operation';
import { validate } from '@tidings/contracts/core/validator';
import { contextOf, encodeError, encodeOk, type ReplyRecord, type RequestRecord } from './envelope';

type HandlerClass<Group extends OperationGroup> = new (...parameters: never[]) => Handlers<Group>;

/** What a transport's server learns of a handler beside its pattern. */
export interface HandlerExtras {
  operation: Operation;
}

const logger = new Logger('Operations');

/**
 * Makes a class the answer to every operation of a group. Compiles only if each operation has its method, with its types.
 * Nest routes the pattern to an adapter beside the method; the adapter opens the envelope, validates the request and
 * turns what is thrown into an error reply. It never throws itself.
 */
export function Handles<Group extends OperationGroup>(group: Group) {
  return <Class extends HandlerClass<Group>>(target: Class): void => {
    Controller()(target);
    for (const [name, operation] of Object.entries(group) as [string, Operation][]) {
      const adapter = `answer:${name}`;
      Object.defineProperty(target.prototype, adapter, {
        configurable: true,
        value: function (this: Handlers<Group>, record: RequestRecord): Promise<ReplyRecord> {
          return answer(operation, record, this[name as keyof Group].bind(this));
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
  handler: (context: ReturnType<typeof contextOf>, request: never) => Promise<unknown>,
): Promise<ReplyRecord> {
  try {
    const request = validate(operation.request, JSON.parse(record.body) as object);
    return encodeOk(await handler(contextOf(record.headers), request as never));
  } catch (error) {
    if (!(error instanceof ServiceError)) {
      logger.error({ err: error, callId: record.headers.callId, operation: operation.pattern }, `${operation.pattern} failed`);
    }
    return encodeError(error);
  }
}
