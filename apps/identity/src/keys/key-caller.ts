import type { EntityManager } from 'typeorm';
import type { CallContext, KeyMode } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { STORED_SENDS } from '@tidings/contracts/core/granted';
import { parseRate } from '@tidings/contracts/core/rate';
import { shown } from '@tidings/contracts/core/refusals';
import { firstNotGranted } from '@tidings/contracts/scopes';
import { operatorOf, type ShownActor } from '../audit/audit-log';
import { KeyEntity } from './key.entity';

/** What a key may do. */
interface Powers {
  mode: KeyMode;
  scopes: readonly string[];
  /** Absent or null: it may send to any recipient. */
  recipients?: readonly string[] | null;
  /** Absent or null: it does not expire. */
  expiresAt?: Date | null;
  /** Absent or null: that of the workspace. */
  rateLimit?: string | null;
}

/** The powers of a caller, which no key that it makes may exceed; and as whom audit events show it. */
interface KeyCaller extends Powers {
  actor: ShownActor;
}

/** The caller of an operation on keys: an operator, a session or an API key, which may expire. */
export async function keyCallerOf(tx: EntityManager, context: CallContext): Promise<KeyCaller> {
  const { workspaceId, mode, scopes, recipients } = context;
  const actor = operatorOf(context);
  const key = actor.type === 'api-key' ? await tx.findOneBy(KeyEntity, { workspaceId, id: actor.id }) : null;
  if (!key) return { mode, scopes, recipients, actor };
  const { name, hint, expiresAt, rateLimit } = key;
  return { mode, scopes, recipients, expiresAt, rateLimit, actor: { ...actor, ...(name && { name }), ...(hint && { hint }) } };
}

/** @throws ServiceError `forbidden` for a key that may do what its maker may not, naming it. */
export function assertNotWider(key: Powers, caller: Powers) {
  const missing = firstNotGranted(key.scopes, caller.scopes);
  if (missing !== undefined) throw wider(`the scope ${missing}`);
  if (caller.scopes.includes(STORED_SENDS) && !key.scopes.includes(STORED_SENDS)) throw wider(`no limit by the scope ${STORED_SENDS}`);
  if (caller.mode === 'test' && key.mode !== 'test') throw wider('the mode production');
  const { recipients: guests, expiresAt: end } = caller;
  if (guests) {
    const other = key.recipients ? key.recipients.find((one) => !guests.includes(one)) : '*';
    if (other !== undefined) throw wider(key.recipients ? `the recipient ${shown(other)}` : 'any recipient');
  }
  if (end && !(key.expiresAt && key.expiresAt <= end)) throw wider(`a validity beyond ${end.toISOString()}`);
  const { rateLimit: rate } = caller;
  if (rate && !(key.rateLimit && perSecond(key.rateLimit) <= perSecond(rate))) throw wider(`a rate beyond ${rate}`);
}

const perSecond = (rate: string) => parseRate(rate)!.perSecond; // checked by the contract

function wider(what: string) {
  return new ServiceError('forbidden', `The API key would have ${what}, which the credential lacks`);
}
