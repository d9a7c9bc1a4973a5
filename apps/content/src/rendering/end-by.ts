import type { CallContext } from '@tidings/contracts/core/context';

/** What a call needs after its rendering, to answer or to write: a caller is told in time that nothing was done. */
const AFTERWARDS_MS = 500;

/** When the work on other threads has to end for a call to be answered in time; for `RenderPool.run`. */
export function endBy({ expiresAt }: CallContext): { readonly endBy?: number } {
  return expiresAt === undefined ? {} : { endBy: expiresAt - AFTERWARDS_MS };
}
