import { randomUUID } from 'node:crypto';
import type { CallContext } from '@tidings/contracts/core/context';
import type { ErrorCode } from '@tidings/contracts/core/errors';
import { contextOf } from './context-of';

/** An isolation test of a resource. */
export interface IsolationScenario {
  /** Creates the owner's resource. */
  arrange(owner: CallContext): Promise<void>;
  /** What the owner sees of it. */
  look(owner: CallContext): Promise<unknown>;
  /** Calls of another workspace with the same names: refused with the code, or acting on the other workspace's own resource. */
  attempts: Record<string, { attempt(stranger: CallContext): Promise<unknown>; refusedWith?: ErrorCode }>;
}

/** Tests that calls of another workspace neither change nor reveal the owner's resource. */
export function describeWorkspaceIsolation(resource: string, { arrange, look, attempts }: IsolationScenario): void {
  describe(`${resource} of another workspace`, () => {
    it.each(Object.entries(attempts))('cannot be reached by %s', async (_, { attempt, refusedWith }) => {
      const owner = contextOf(randomUUID());
      await arrange(owner);
      const before = await look(owner);

      const outcome = attempt(contextOf(randomUUID()));

      if (refusedWith) await expect(outcome).rejects.toMatchObject({ code: refusedWith });
      else await expect(outcome).resolves.not.toEqual(before);
      await expect(look(owner)).resolves.toEqual(before);
    });
  });
}
