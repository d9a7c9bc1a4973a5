import { Inject } from '@nestjs/common';
import type { CallContext } from '@tidings/contracts/core/context';
import { notFound } from '@tidings/contracts/core/refusals';
import { eventTopics, type RepublishPage, type SkipUnverified } from '@tidings/contracts/identity/event-topics';
import { membershipsChanged, profileChanged } from '@tidings/contracts/identity/events';
import type { ProfileFields } from '@tidings/contracts/identity/profiles';
import { events } from '@tidings/contracts/registry';
import type { EventLog } from '@tidings/events/event-log';
import { decodeCursor, encodeCursor } from '@tidings/persistence/cursor';
import { statement, transactionOf } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { EVENT_LOG } from '@tidings/runtime/resources.module';
import type { EntityManager } from 'typeorm';
import { addAuditEventToAll, operatorOf } from '../audit/audit-log';
import { ProfileStore } from '../profiles/profile-store';
import { Memberships } from '../tenants/memberships';

/** Users of a page; a profile has at most `PROFILE_BYTES_MAX` bytes. */
const USERS_PER_PAGE = 200;
const BEFORE_ALL = ['00000000-0000-0000-0000-000000000000', ''];

// SQL because a page goes over all workspaces, and locks profiles until their records are in the outbox.
/** An empty profile may come from a send to an unknown user, which publishes nothing. */
const PROFILES = statement(
  'event-topics-profiles',
  `select workspace_id, user_id, profile from profiles where (workspace_id, user_id) > ($1::uuid, $2) and profile <> '{}'
   order by workspace_id, user_id limit ${USERS_PER_PAGE} for share`,
);
const MEMBERS = statement(
  'event-topics-members',
  `select distinct workspace_id, user_id from user_tenants where (workspace_id, user_id) > ($1::uuid, $2)
   order by workspace_id, user_id limit ${USERS_PER_PAGE}`,
);

interface UserRow {
  workspace_id: string;
  user_id: string;
}

/** What operators do with the signed topics of events. */
@Handles(eventTopics)
export class EventTopicsHandlers {
  constructor(
    @Inject(EVENT_LOG) private readonly log: EventLog,
    private readonly profiles: ProfileStore,
    private readonly memberships: Memberships,
  ) {}

  async skipUnverified(context: CallContext, { topic }: SkipUnverified, tx: EntityManager) {
    const names = events.map((event) => event.topic);
    if (!names.some((name) => name === topic)) throw notFound(`There is no topic ${topic}: the topics are ${names.sort().join(', ')}`);
    await this.log.skipUnverified(topic);
    await addAuditEventToAll(tx, {
      type: 'events:unverified-skipped',
      actor: operatorOf(context),
      target: { id: topic },
      operation: eventTopics.skipUnverified.pattern,
    });
  }

  async republishProfiles(context: CallContext, page: RepublishPage, tx: EntityManager) {
    await this.recordFirst(context, page, tx, { id: profileChanged.topic }, eventTopics.republishProfiles.pattern);
    const rows = await transactionOf(tx).query<UserRow & { profile: ProfileFields }>(PROFILES, after('profiles', page));
    for (const { workspace_id: workspaceId, user_id: userId, profile } of rows) {
      await this.profiles.publish(transactionOf(tx), { workspaceId, userId, profile });
    }
    return this.published('profiles', rows);
  }

  async republishMemberships(context: CallContext, page: RepublishPage, tx: EntityManager) {
    await this.recordFirst(context, page, tx, { id: membershipsChanged.topic }, eventTopics.republishMemberships.pattern);
    const rows = await transactionOf(tx).query<UserRow>(MEMBERS, after('members', page));
    for (const { workspace_id: workspaceId, user_id: userId } of rows) await this.memberships.republish(tx, { workspaceId, userId });
    return this.published('members', rows);
  }

  /** The first page leaves the event of all of them. */
  private async recordFirst(context: CallContext, { cursor }: RepublishPage, tx: EntityManager, target: { id: string }, operation: string) {
    if (!cursor) await addAuditEventToAll(tx, { type: 'events:republished', actor: operatorOf(context), target, operation });
  }

  private published(tag: string, rows: readonly UserRow[]) {
    const last = rows.at(-1);
    const next = last && rows.length === USERS_PER_PAGE ? encodeCursor(tag, [last.workspace_id, last.user_id]) : undefined;
    return { published: rows.length, next, ...(!this.log.isSigned && { signed: false }) };
  }
}

function after(tag: string, { cursor }: RepublishPage) {
  return !cursor ? BEFORE_ALL : decodeCursor(tag, cursor, ['uuid', 'text']);
}
