import type { CallContext } from './context';
import type { OperationGroup, RequestOf, ResponseOf } from './operation';

/** One handler method per operation of a group, typed by its request and response. */
export type Handlers<Group extends OperationGroup> = {
  [Name in keyof Group]: (context: CallContext, request: RequestOf<Group[Name]>) => Promise<ResponseOf<Group[Name]>>;
};
