import type { CallContext } from '@tidings/contracts/core/context';

/** Time a call needs after rendering, to answer or to write: so it fails before its deadline without having written. */
const AFTERWARDS_MS = 500;

/** When work on other threads must end for the call to be answered in time; an option of `RenderPool.run`. */
export function endBy({ expiresAt }: CallContext) {
  return expiresAt === undefined ? {} : { endBy: expiresAt - AFTERWARDS_MS };
}
