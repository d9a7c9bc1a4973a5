import { randomUUID } from 'node:crypto';
import { Inject, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Actor, AuditEventType } from '@tidings/contracts/core/audit';
import { type CallContext, SYSTEM_WORKSPACE_ID } from '@tidings/contracts/core/context';
import { DAY_MS, SECOND_MS } from '@tidings/contracts/core/duration';
import { ServiceError } from '@tidings/contracts/core/errors';
import { notFound } from '@tidings/contracts/core/refusals';
import {
  type AddSessionCode,
  type NamedSession,
  OPERATOR_ROLE,
  SESSION_CODE_LIFE_SECONDS,
  SESSION_IDLE_SECONDS,
  SESSION_IDLE_SECONDS_ADMIN,
  SESSION_LIFE_DAYS,
  type SessionPerson,
  sessions,
  type SessionRole,
  type SigningPerson,
  type StartSession,
  type VerifiedSession,
  type VerifySession,
} from '@tidings/contracts/identity/sessions';
import { scopesOfRole } from '@tidings/contracts/roles';
import { Database, statement, transactionOf } from '@tidings/persistence/database';
import { oncePerMinute, REMOVED_MAX, removeInBatches } from '@tidings/persistence/idempotency-records';
import { Outbox } from '@tidings/persistence/outbox';
import { Handles } from '@tidings/rpc/handles';
import { VERSION } from '@tidings/runtime/version';
import { type EntityManager, Raw, Repository } from 'typeorm';
import { storeAuditRecords } from '../audit/audit-log';
import { DEFAULT_RATE, type DefaultRate } from '../default-rate';
import { publishKeyChange } from '../keys/key-store';
import { KeyUses } from '../keys/key-uses';
import { endOf, isValid, KeyEntity } from '../keys/key.entity';
import { epochMs, toVerifiedKey, type VerifiedKeyRow } from '../keys/verified-key';
import { WorkspaceEntity } from '../workspace.entity';
import { SessionCodeEntity, SessionEntity } from './session.entity';

/** A use is written once in this time. */
const USE = "interval '1 minute'";

// SQL because every request of a page waits for it: one statement finds the session and writes its use.
const VERIFY = statement(
  'sessions-verify',
  `with live as materialized (
     select session.id, session.workspace_id, session.key_id, session.role, session.operator, session.proof, session.person_id,
            session.person_name, session.ends_at, session.idle_seconds,
            case when $2 and session.used_at <= now() - ${USE} then now() else session.used_at end as used_at
       from sessions session left join api_keys key on key.id = session.key_id
      where session.hash = $1 and session.ends_at > now()
        and session.used_at + session.idle_seconds * interval '1 second' > now()
        and (session.key_id is null or ${isValid('key')})
   ), used as (
     update sessions set used_at = now() from live where $2 and sessions.id = live.id and sessions.used_at <= now() - ${USE}
   )
   select coalesce(key.id, live.id) as key_id, coalesce(live.workspace_id, '${SYSTEM_WORKSPACE_ID}') as workspace_id,
          coalesce(workspace.account_email, '') as account_email, coalesce(key.mode, 'production') as mode,
          coalesce(key.scopes, '{}') as scopes, key.recipients,
          ${epochMs(`least(${endOf('key')}, live.ends_at, live.used_at + live.idle_seconds * interval '1 second')`)} as valid_until,
          key.rate_limit as key_rate, workspace.rate_limit as workspace_rate, coalesce(workspace.quotas, '{}') as quotas,
          workspace.name as workspace_name, key.name as key_name, key.hint as key_hint, live.role, live.operator, live.proof,
          live.person_id, live.person_name
     from live left join api_keys key on key.id = live.key_id left join workspaces workspace on workspace.id = live.workspace_id`,
);
const removal = (table: string) =>
  statement(
    `${table.replace('_', '-')}-remove-ended`,
    `delete from ${table} where ctid = any (array (
       select ctid from ${table} where ends_at <= now() order by ends_at limit ${REMOVED_MAX} for update skip locked))`,
  );
// SQL because they delete in batches.
const REMOVALS = [removal('sessions'), removal('session_codes')];

interface SessionRow extends VerifiedKeyRow {
  workspace_name: string | null;
  key_name: string | null;
  key_hint: string | null;
  role: SessionRole | null;
  operator: string | null;
  proof: string | null;
  person_id: string | null;
  person_name: string | null;
}

/** What every new session has. */
interface NewSession {
  id: string;
  hash: Buffer;
  endsAt: () => string;
}

@Handles(sessions)
export class SessionsHandlers {
  private readonly logger = new Logger('Sessions');
  private readonly removeEnded = oncePerMinute(() => this.removeAllEnded(), this.logger, 'ended sessions');

  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
    private readonly uses: KeyUses,
    @InjectRepository(WorkspaceEntity) private readonly workspaces: Repository<WorkspaceEntity>,
    @Inject(DEFAULT_RATE) private readonly defaultRate: DefaultRate,
  ) {}

  async whoami({ workspaceId, mode, scopes }: CallContext) {
    const { id, name } = await this.workspaces.findOneByOrFail({ id: workspaceId }); // workspaces are never deleted
    return { workspace: { id, name }, mode, scopes: [...scopes], version: VERSION };
  }

  async start({ workspaceId }: CallContext, request: StartSession, tx: EntityManager) {
    const { hash, previous_hash, key_id, code_hash, operator, person, ...rest } = request;
    rest satisfies Record<string, never>;
    this.removeEnded();
    if (previous_hash !== undefined) await this.remove(tx, previous_hash);
    const row = { id: randomUUID(), hash: bytesOf(hash), endsAt: inSeconds((SESSION_LIFE_DAYS * DAY_MS) / SECOND_MS) };
    if (operator) {
      const { name, proof } = operator;
      const idleSeconds = SESSION_IDLE_SECONDS_ADMIN;
      await tx.insert(SessionEntity, { ...row, role: OPERATOR_ROLE, operator: name, proof, idleSeconds });
      transactionOf(tx).afterCommit(() => this.logger.log(`Operator ${name} signed in to the console`));
      return;
    }
    if (person) return this.startOfPerson(tx, row, person);
    const named = code_hash === undefined ? { workspaceId, id: key_id ?? row.id /* no key's */ } : await redeem(tx, code_hash);
    const key = await tx.findOneBy(KeyEntity, named);
    if (!key?.valid) throw new ServiceError('unauthenticated', 'The API key is unknown, has expired or was revoked');
    await tx.insert(SessionEntity, { ...row, workspaceId: key.workspaceId, keyId: key.id, idleSeconds: SESSION_IDLE_SECONDS });
    await audit(tx, 'session:started', sessions.start.pattern, key.workspaceId, ofKey(key.id));
  }

  /** A text that is not a hash belongs to no session. */
  async verify(_context: CallContext, { hash, background = false }: VerifySession): Promise<VerifiedSession> {
    const [row] = await this.database.query<SessionRow>(VERIFY, [bytesOf(hash), !background]);
    if (!row) throw new ServiceError('unauthenticated', 'The session has ended');
    const { workspace_name, key_name, key_hint, role, operator, proof, person_id, person_name } = row;
    if (role === null && !background) this.uses.note(row.key_id);
    return {
      ...toVerifiedKey(row, role === OPERATOR_ROLE ? null : this.defaultRate),
      ...(role !== null && role !== OPERATOR_ROLE && { scopes: scopesOfRole(role) }),
      ...(workspace_name !== null && { workspace_name }),
      ...(key_name !== null && { key_name }),
      ...(key_hint !== null && { key_hint }),
      ...(role !== null && { role }),
      ...(operator !== null && proof !== null && { operator: { name: operator, proof } }),
      ...(person_id !== null && person_name !== null && { person: { id: person_id, name: person_name } }),
    };
  }

  async end(_context: CallContext, { hash }: NamedSession, tx: EntityManager) {
    await this.remove(tx, hash);
  }

  async addCode({ workspaceId }: CallContext, { hash, key_id, ...rest }: AddSessionCode, tx: EntityManager) {
    rest satisfies Record<string, never>;
    if (!(await tx.existsBy(KeyEntity, { workspaceId, id: key_id }))) throw notFound(`API key ${key_id} does not exist`);
    const endsAt = inSeconds(SESSION_CODE_LIFE_SECONDS);
    await tx.insert(SessionCodeEntity, { hash: bytesOf(hash), workspaceId, keyId: key_id, endsAt });
  }

  private async startOfPerson(tx: EntityManager, row: NewSession, { workspace: name, role, ...person }: SigningPerson) {
    const workspace = await tx.findOneBy(WorkspaceEntity, { name });
    if (!workspace) throw notFound(`Workspace ${name} does not exist`);
    const idleSeconds = role === 'admin' ? SESSION_IDLE_SECONDS_ADMIN : SESSION_IDLE_SECONDS;
    const { id: personId, name: personName } = person;
    await tx.insert(SessionEntity, { ...row, workspaceId: workspace.id, role, personId, personName, idleSeconds });
    await audit(tx, 'session:started', sessions.start.pattern, workspace.id, ofPerson(person));
  }

  /** Removes a session, if it is there: gateways that cached it forget it with its key. */
  private async remove(tx: EntityManager, hash: string) {
    const found = await tx.findOne(SessionEntity, { where: { hash: bytesOf(hash) }, lock: { mode: 'pessimistic_write' } });
    if (!found) return;
    const { id, workspaceId, keyId, personId, personName } = found;
    await tx.delete(SessionEntity, { id });
    await publishKeyChange(tx, this.outbox, workspaceId ?? SYSTEM_WORKSPACE_ID, keyId ?? id);
    const actor = keyId ? ofKey(keyId) : personId && personName ? ofPerson({ id: personId, name: personName }) : undefined;
    if (workspaceId && actor) await audit(tx, 'session:ended', sessions.end.pattern, workspaceId, actor);
  }

  private async removeAllEnded() {
    let removed = 0;
    for (const removal of REMOVALS) {
      const count = await removeInBatches(() => this.database.execute(removal, []));
      removed += count;
    }
    return removed;
  }
}

/** The key of a code, which is used with it. */
async function redeem(tx: EntityManager, hash: string) {
  const where = { hash: bytesOf(hash), endsAt: Raw((column) => `${column} > now()`) };
  const code = await tx.findOne(SessionCodeEntity, { where, lock: { mode: 'pessimistic_write' } });
  if (!code) throw new ServiceError('unauthenticated', 'The code is unknown, was used or has expired: sign in with an API key');
  await tx.delete(SessionCodeEntity, { hash: code.hash });
  return { workspaceId: code.workspaceId, id: code.keyId };
}

/** Records what happened to a session; of a key with its name and its end. */
async function audit(tx: EntityManager, type: AuditEventType, operation: string, workspaceId: string, actor: Actor) {
  const at = new Date().toISOString();
  const record = { workspaceId, id: randomUUID(), at, type, operation, actor, targetId: actor.id };
  await storeAuditRecords(transactionOf(tx), [{ ...record, before: [], after: [] }]);
}

const ofKey = (id: string): Actor => ({ type: 'api-key', id });
const ofPerson = ({ id, name }: SessionPerson): Actor => ({ type: 'person', id, name });

/** SQL, since the database's clock decides when it ends. */
const inSeconds = (seconds: number) => () => `now() + interval '${seconds} seconds'`;

function bytesOf(hash: string) {
  return Buffer.from(hash, 'hex');
}
