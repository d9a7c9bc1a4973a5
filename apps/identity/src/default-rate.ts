import { UNLIMITED } from '@tidings/contracts/identity/limits';

/** Token of the rate of workspaces without one of their own (`TIDINGS_RATE_LIMIT`); null: they are not limited. */
export const DEFAULT_RATE = Symbol('DEFAULT_RATE');
export type DefaultRate = string | null;

/** The rate in effect for a workspace with this stored one. */
export function effectiveRate(stored: string | null, defaultRate: DefaultRate) {
  return stored === UNLIMITED ? null : (stored ?? defaultRate);
}
