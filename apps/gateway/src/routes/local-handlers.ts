import type { OperationGroup, RequestOf, ResponseOf } from '@tidings/contracts/core/operation';
import type { Caller } from '../auth/caller';

/** Answers one operation inside the gateway. The request is validated. */
type LocalHandler = (caller: Caller, request: object) => Promise<unknown>;

/** The operations that the gateway answers itself, by pattern. */
export type LocalHandlers = ReadonlyMap<string, LocalHandler>;

/** The handlers of a group: as in any service, but with the gateway's `Caller`. */
type LocalMethods<Group extends OperationGroup> = {
  [Name in keyof Group]: (caller: Caller, request: RequestOf<Group[Name]>) => Promise<ResponseOf<Group[Name]>>;
};

/** Maps every operation of a group to its method in `handlers`. */
export function answersLocally<Group extends OperationGroup>(group: Group, handlers: LocalMethods<Group>): LocalHandlers {
  return new Map(
    Object.entries(group).map(([name, { pattern }]) => {
      const method = handlers[name as keyof Group].bind(handlers);
      return [pattern, method as LocalHandler] as const;
    }),
  );
}
