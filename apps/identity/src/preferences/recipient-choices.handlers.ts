import { InjectRepository } from '@nestjs/typeorm';
import type { CallContext } from '@tidings/contracts/core/context';
import type { LoadedTopic } from '@tidings/contracts/identity/recipients';
import {
  type LoadPreferencePage,
  type OptOut,
  type PageChoice,
  type PreferencePage,
  recipientChoices,
  type SavePreferencePage,
} from '@tidings/contracts/identity/recipient-choices';
import type { TopicPreference } from '@tidings/contracts/identity/user-preferences';
import { Database, statement, transactionOf } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { type EntityManager, In, Not, Repository } from 'typeorm';
import { ProfileEntity } from '../profiles/profile.entity';
import { effectivePreferences, requirements } from './effective-preferences';
import { PreferenceSectionEntity } from './preference-section.entity';
import { OLDEST_FIRST, PreferenceTopicEntity } from './preference-topic.entity';
import { topicsById } from './preferences-of-many';
import type { ChoiceInTenant } from './preference-changes';
import type { ChoiceContext, TopicAndChoice } from './topic-preference';
import { lockChoices, storeChoices } from './user-choices';
import { UserPreferenceEntity } from './user-preference.entity';

type Published = Readonly<Record<'heading' | 'description' | 'brand_id', string | null>>;

// SQL because the table, of one row for each workspace, has no entity.
const PUBLISHED = statement(
  'preference-pages-published',
  'select heading, description, brand_id from preference_pages where workspace_id = $1',
);

/** The choices of recipients who follow the links of messages. */
@Handles(recipientChoices)
export class RecipientChoicesHandlers {
  constructor(
    private readonly database: Database,
    @InjectRepository(ProfileEntity) private readonly profiles: Repository<ProfileEntity>,
    @InjectRepository(PreferenceSectionEntity) private readonly sections: Repository<PreferenceSectionEntity>,
    @InjectRepository(PreferenceTopicEntity) private readonly topics: Repository<PreferenceTopicEntity>,
  ) {}

  /** All reads are bounded: a workspace has no more sections and topics than fit into one answer. */
  async page({ workspaceId }: CallContext, request: LoadPreferencePage): Promise<PreferencePage> {
    const { user_id: userId, tenant_id: tenantId, topic_id, sections: all, ...rest } = request;
    rest satisfies Record<string, never>;
    const [[published], profile, sections, topics] = await Promise.all([
      this.database.query<Published>(PUBLISHED, [workspaceId]),
      this.profiles.findOneBy({ workspaceId, userId }),
      all ? this.sections.find({ where: { workspaceId }, order: OLDEST_FIRST }) : [],
      all || topic_id !== undefined ? this.topicsFor(workspaceId, all ? undefined : topic_id) : [],
    ]);
    const scope = { workspaceId, userId, tenantId };
    const effective = await effectivePreferences(this.database, scope, topics.map(toLoaded(sections)));
    const shown = topics.map((topic, index) => ({ topic, preference: effective[index]! }));
    const { locale } = (profile?.profile ?? {}) as { locale?: unknown };
    return {
      heading: published?.heading ?? undefined,
      description: published?.description ?? undefined,
      brand_id: published?.brand_id ?? undefined,
      locale: typeof locale === 'string' ? locale : undefined,
      topic: effective.find((one) => one.topic_id === topic_id),
      sections: sections.flatMap((section) => {
        const own = shown
          .filter(({ topic }) => topic.sectionId === section.id)
          .map(({ topic, preference }) => {
            const channels = offeredChannels(topic, section, preference);
            return { ...preference, description: topic.description ?? undefined, channels };
          });
        return own.length === 0 ? [] : [{ name: section.name, description: section.description ?? undefined, topics: own }];
      }),
    };
  }

  async save({ workspaceId }: CallContext, request: SavePreferencePage, tx: EntityManager): Promise<void> {
    const { user_id: userId, tenant_id: tenantId, topics: chosen, message_id: messageId, ...rest } = request;
    rest satisfies Record<string, never>;
    const scope = { workspaceId, userId, tenantId };
    await lockChoices(tx, workspaceId, userId);
    const byId = new Map(chosen.map((one) => [one.topic_id, one]));
    const sql = transactionOf(tx);
    const topics = await topicsById(
      sql,
      [...byId.keys()].map((topicId) => ({ workspaceId, topicId })),
    );
    const effective = await effectivePreferences(sql, scope, topics);
    const changed = effective.flatMap((now) => changeOf(now, byId.get(now.topic_id)!) ?? []);
    const optedOut = changed.filter(({ status }) => status === 'OPTED_OUT').map(({ topic_id }) => topic_id);
    const inTenants = await optOutsInTenants(tx, scope, optedOut);
    await storeChoices(tx, scope, [...changed, ...inTenants], { source: 'page', messageId });
  }

  /** Channels that were chosen stay: they count again after a later opt-in. */
  async optOut({ workspaceId }: CallContext, request: OptOut, tx: EntityManager): Promise<void> {
    const { user_id: userId, tenant_id: tenantId, topic_id, message_id: messageId, ...rest } = request;
    rest satisfies Record<string, never>;
    await lockChoices(tx, workspaceId, userId);
    const scope = { workspaceId, userId, tenantId };
    const required = (await requirements(tx, scope, [topic_id])).get(topic_id);
    if (required !== false) return; // the topic does not exist any more, or allows no opt-out
    const row = await tx.findOneBy(UserPreferenceEntity, { workspaceId, userId, topicId: topic_id, tenantId: tenantId ?? '' });
    const { hasCustomRouting: has_custom_routing = false, customRouting: custom_routing = [] } = row ?? {};
    const choice = { topic_id, status: 'OPTED_OUT', has_custom_routing, custom_routing } as const;
    const choices = [choice, ...(await optOutsInTenants(tx, scope, [topic_id]))];
    await storeChoices(tx, scope, choices, { source: 'link', messageId });
  }

  /** @param id only this topic; absent: all of the workspace, the oldest first. */
  private topicsFor(workspaceId: string, id: string | undefined) {
    return this.topics.find({ where: { workspaceId, ...(id !== undefined && { id }) }, order: OLDEST_FIRST });
  }
}

/**
 * Opt-outs in the tenants where the user opted in: a choice there counts before the general one, and would undo an opt-out. None within a
 * tenant.
 */
async function optOutsInTenants(tx: EntityManager, scope: ChoiceContext, topicIds: readonly string[]): Promise<ChoiceInTenant[]> {
  const { workspaceId, userId, tenantId } = scope;
  if (tenantId !== undefined || topicIds.length === 0) return [];
  const optedIn = { workspaceId, userId, topicId: In([...topicIds]), tenantId: Not(''), status: 'OPTED_IN' } as const;
  const rows = await tx.findBy(UserPreferenceEntity, optedIn);
  return rows.map(({ tenantId: tenant_id, topicId: topic_id, hasCustomRouting, customRouting }) => {
    return { tenant_id, topic_id, status: 'OPTED_OUT', has_custom_routing: hasCustomRouting, custom_routing: customRouting };
  });
}

/** The channels between which the page lets a user choose: also those that were chosen elsewhere, or saving the page would remove them. */
function offeredChannels(topic: PreferenceTopicEntity, section: PreferenceSectionEntity, { custom_routing }: TopicPreference) {
  if (!topic.allowedPreferences.includes('channel_preferences') && !section.hasCustomRouting) return [];
  const options = topic.routingOptions.length > 0 ? topic.routingOptions : section.routingOptions;
  return options.length > 1 ? [...new Set([...options, ...custom_routing])] : [];
}

/** The choice to store; undefined where it is the effective one already. */
function changeOf(now: TopicPreference, { status, channels }: PageChoice): TopicAndChoice | undefined {
  const before = now.has_custom_routing ? now.custom_routing : [];
  const chosen = channels ?? before;
  const isRequired = now.status === 'REQUIRED';
  const isSame = chosen.length === before.length && chosen.every((channel) => before.includes(channel));
  if (isSame && (isRequired || now.status === status)) return undefined;
  const has_custom_routing = chosen.length > 0;
  return { topic_id: now.topic_id, status: isRequired ? null : status, has_custom_routing, custom_routing: chosen };
}

function toLoaded(sections: readonly PreferenceSectionEntity[]) {
  const names = new Map(sections.map(({ id, name }) => [id, name]));
  return (topic: PreferenceTopicEntity): LoadedTopic => ({
    workspace_id: topic.workspaceId,
    topic_id: topic.id,
    name: topic.name,
    default_status: topic.defaultStatus,
    include_unsubscribe_header: topic.includeUnsubscribeHeader,
    section_id: topic.sectionId,
    section_name: names.get(topic.sectionId) ?? '',
  });
}
