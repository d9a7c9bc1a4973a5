import type { CallContext } from '@tidings/contracts/core/context';
import type { Handlers } from '@tidings/contracts/core/handlers';
import type { OperationGroup } from '@tidings/contracts/core/operation';

/** Answers one operation inside the gateway. The request is checked already. */
export type LocalHandler = (context: CallContext, request: object) => Promise<unknown>;

/** The operations that the gateway answers itself, by pattern. */
export type LocalHandlers = ReadonlyMap<string, LocalHandler>;

/** Makes `handlers` the gateway's own answer to every operation of a group. */
export function answersLocally<Group extends OperationGroup>(group: Group, handlers: Handlers<Group>): LocalHandlers {
  return new Map(
    Object.entries(group).map(([name, { pattern }]) => {
      const method = handlers[name as keyof Group].bind(handlers);
      return [pattern, method as LocalHandler] as const;
    }),
  );
}
