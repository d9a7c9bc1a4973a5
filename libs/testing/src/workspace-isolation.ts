import { randomUUID } from 'node:crypto';
import type { CallContext } from '@tidings/contracts/core/context';
import type { ErrorCode } from '@tidings/contracts/core/errors';
import { contextOf } from './context-of';

export interface IsolationStory {
  /** Makes the owner's resource. */
  arrange(owner: CallContext): Promise<void>;
  /** What the owner sees of it. */
  look(owner: CallContext): Promise<unknown>;
  /** What a stranger does with the same names: refused with the code, or done to something of the stranger's own. */
  attempts: Record<string, { attempt(stranger: CallContext): Promise<unknown>; refusedWith?: ErrorCode }>;
}

/** Whatever a stranger tries, the owner's resource stays as it was, and the stranger learns nothing of it. */
export function describeWorkspaceIsolation(resource: string, { arrange, look, attempts }: IsolationStory): void {
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
