import type { CallContext } from './context';
import type { OperationGroup, RequestOf, ResponseOf } from './operation';

/**
 * One handler method per operation of a group, typed by its request and response. The method of a command also gets its transaction and,
 * if the class (`Self`) has a `prepare…` method for it, that method's result.
 */
export type Handlers<Group extends OperationGroup, Transaction = never, Self = unknown> = {
  [Name in keyof Group]: Group[Name] extends { readonly command: true }
    ? (
        context: CallContext,
        request: RequestOf<Group[Name]>,
        tx: Transaction,
        prepared: Prepared<Self, Name & string>,
      ) => Promise<ResponseOf<Group[Name]>>
    : (context: CallContext, request: RequestOf<Group[Name]>) => Promise<ResponseOf<Group[Name]>>;
} & {
  /** `prepareReplace` runs before the transaction of `replace`, for calls to other services and rendering. It must not write. */
  [Name in keyof Group & string as `prepare${Capitalize<Name>}`]?: (
    context: CallContext,
    request: RequestOf<Group[Name]>,
  ) => Promise<unknown>;
};

type Prepared<Self, Name extends string> =
  Self extends Record<`prepare${Capitalize<Name>}`, (...request: never[]) => Promise<infer Result>> ? Result : undefined;
