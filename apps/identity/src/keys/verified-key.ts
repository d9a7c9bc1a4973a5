import type { Quotas } from '@tidings/contracts/core/quotas';
import type { VerifiedKey } from '@tidings/contracts/identity/keys';
import { type DefaultRate, effectiveRate } from '../default-rate';

/** A valid key as it is selected, with the limits of its workspace. */
export interface VerifiedKeyRow extends Omit<VerifiedKey, 'valid_until' | 'recipients' | 'limits'> {
  valid_until: number | null;
  recipients: string[] | null;
  key_rate: string | null;
  workspace_rate: string | null;
  quotas: Quotas;
}

/** SQL: a time in ms since the epoch. */
export const epochMs = (time: string) => `floor(extract(epoch from ${time}) * 1000)::float8`;

/** @param defaultRate of workspaces without a rate of their own. */
export function toVerifiedKey(row: VerifiedKeyRow, defaultRate: DefaultRate): VerifiedKey {
  const { key_id, workspace_id, account_email, mode, scopes, valid_until, recipients, key_rate, workspace_rate: own, quotas } = row;
  const workspace_rate = effectiveRate(own, defaultRate);
  const limits = {
    ...(key_rate !== null && { key_rate }),
    ...(workspace_rate !== null && { workspace_rate }),
    ...(Object.keys(quotas).length > 0 && { quotas }),
  };
  return {
    ...{ key_id, workspace_id, account_email, mode, scopes },
    ...(recipients && { recipients }),
    ...(valid_until !== null && { valid_until }),
    ...(Object.keys(limits).length > 0 && { limits }),
  };
}
