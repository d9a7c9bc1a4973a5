import type { CallContext } from './context';
import type { OperationGroup, RequestOf, ResponseOf } from './operation';

/**
 * The methods a class needs to answer every operation of a group, with exactly these types. That of a command gets the transaction
 * and, where the class has a `prepare…` method for it, what that resolved with.
 */
export type Handlers<Group extends OperationGroup, Transaction = never> = {
  [Name in keyof Group]: Group[Name] extends { readonly command: true }
    ? (
        context: CallContext,
        request: RequestOf<Group[Name]>,
        tx: Transaction,
        prepared: any, // eslint-disable-line @typescript-eslint/no-explicit-any -- what the class's own method resolved with
      ) => Promise<ResponseOf<Group[Name]>>
    : (context: CallContext, request: RequestOf<Group[Name]>) => Promise<ResponseOf<Group[Name]>>;
} & {
  /** `prepareReplace` runs before the transaction of `replace`: calls to other services, rendering. It must write nothing. */
  [Name in keyof Group & string as `prepare${Capitalize<Name>}`]?: (
    context: CallContext,
    request: RequestOf<Group[Name]>,
  ) => Promise<unknown>;
};
