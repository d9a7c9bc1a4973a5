import type { OperationGroup, RequestOf, ResponseOf } from '@tidings/contracts/core/operation';
import type { Caller } from '../auth/caller';

/** Answers one operation inside the gateway. The request is checked already. */
type LocalHandler = (caller: Caller, request: object) => Promise<unknown>;

/** The operations that the gateway answers itself, by pattern. */
export type LocalHandlers = ReadonlyMap<string, LocalHandler>;

/** The methods it takes to answer a group here: those of any service, or such as ask more of the caller. */
type LocalMethods<Group extends OperationGroup> = {
  [Name in keyof Group]: (caller: Caller, request: RequestOf<Group[Name]>) => Promise<ResponseOf<Group[Name]>>;
};

/** Makes `handlers` the gateway's own answer to every operation of a group. */
export function answersLocally<Group extends OperationGroup>(group: Group, handlers: LocalMethods<Group>): LocalHandlers {
  return new Map(
    Object.entries(group).map(([name, { pattern }]) => {
      const method = handlers[name as keyof Group].bind(handlers);
      return [pattern, method as LocalHandler] as const;
    }),
  );
}
