import type { CallContext } from './context';
import type { OperationGroup, RequestOf, ResponseOf } from './operation';

/**
 * One handler method per operation of a group, typed by its request and response. The method of a command also gets its transaction and,
 * if the class (`Self`) has a `prepare…` method for it, that method's result. A `present…` method changes what the caller gets.
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
} & {
  /** `presentReplace` makes the answer of the command `replace` from the recorded one, which has no secret in clear. */
  [Name in keyof Group & string as `present${Capitalize<Name>}`]?: (
    context: CallContext,
    recorded: ResponseOf<Group[Name]>,
  ) => ResponseOf<Group[Name]>;
};

type Prepared<Self, Name extends string> =
  Self extends Record<`prepare${Capitalize<Name>}`, (...request: never[]) => Promise<infer Result>> ? Result : undefined;
