import type { CallContext } from './context';
import type { OperationGroup, RequestOf, ResponseOf } from './operation';

/** The methods a class needs to answer every operation of a group, with exactly these types. */
export type Handlers<Group extends OperationGroup> = {
  [Name in keyof Group]: (context: CallContext, request: RequestOf<Group[Name]>) => Promise<ResponseOf<Group[Name]>>;
};
