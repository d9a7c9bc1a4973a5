import { InjectRepository } from '@nestjs/typeorm';
import { notFound } from '@tidings/contracts/core/refusals';
import { type EntityManager, Repository } from 'typeorm';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import {
  type CreateTopic,
  type NamedTopic,
  preferenceTopics,
  type ReplaceTopic,
  TOPIC_DATA_BYTES_MAX,
  type TopicFields,
  type TopicsOfSection,
} from '@tidings/contracts/identity/preference-topics';
import { Handles } from '@tidings/rpc/handles';
import { storableObject } from '@tidings/contracts/core/text';
import { newId } from '@tidings/persistence/new-id';
import { PreferenceSectionEntity } from './preference-section.entity';
import { OLDEST_FIRST, PreferenceTopicEntity, toTopic } from './preference-topic.entity';
import { assertSectionsFit, bytesOf, lockSections } from './section-bounds';

@Handles(preferenceTopics)
export class PreferenceTopicsHandlers {
  constructor(@InjectRepository(PreferenceTopicEntity) private readonly topics: Repository<PreferenceTopicEntity>) {}

  async create({ workspaceId }: CallContext, { section_id: sectionId, ...fields }: CreateTopic, tx: EntityManager) {
    const row = tx.create(PreferenceTopicEntity, { workspaceId, sectionId, id: newId('tpc'), ...valuesOf(fields) });
    await lockSections(tx, workspaceId);
    await assertSection(tx, workspaceId, sectionId);
    await tx.insert(PreferenceTopicEntity, row);
    await assertSectionsFit(tx, workspaceId);
    return toTopic(row);
  }

  /** At most `TOPICS_PER_SECTION_MAX` topics: creation refuses more. */
  async list({ workspaceId }: CallContext, { section_id: sectionId }: TopicsOfSection) {
    const rows = await this.topics.find({ where: { workspaceId, sectionId }, order: OLDEST_FIRST });
    if (rows.length === 0) await assertSection(this.topics.manager, workspaceId, sectionId);
    return { results: rows.map(toTopic) };
  }

  async retrieve({ workspaceId }: CallContext, { section_id, topic_id }: NamedTopic) {
    const row = await this.topics.findOneBy({ workspaceId, id: topic_id, sectionId: section_id });
    if (!row) throw noTopic(section_id, topic_id);
    return toTopic(row);
  }

  async replace({ workspaceId }: CallContext, request: ReplaceTopic, tx: EntityManager) {
    const { section_id, topic_id: id, ...fields } = request;
    await lockSections(tx, workspaceId);
    const replaced = { ...valuesOf(fields), updatedAt: () => 'now()' };
    const { affected } = await tx.update(PreferenceTopicEntity, { workspaceId, id, sectionId: section_id }, replaced);
    if (!affected) throw noTopic(section_id, id);
    await assertSectionsFit(tx, workspaceId);
    return toTopic(await tx.findOneByOrFail(PreferenceTopicEntity, { workspaceId, id }));
  }

  /**
   * Choices for the topic and tenant defaults stay stored and no longer count: ids are never reused, and one call could
   * not delete a million choices.
   */
  async remove({ workspaceId }: CallContext, { section_id, topic_id }: NamedTopic, tx: EntityManager) {
    await lockSections(tx, workspaceId);
    const { affected } = await tx.delete(PreferenceTopicEntity, { workspaceId, id: topic_id, sectionId: section_id });
    if (!affected) throw noTopic(section_id, topic_id);
  }
}

function valuesOf(fields: TopicFields) {
  const { name, default_status, description = null, topic_data } = fields;
  if (fields.digest) throw new ServiceError('not_served', 'Digests are not served: leave out digest', { shouldRetry: false });
  const topicData: object = topic_data ?? {};
  storableObject('topic_data', topicData, TOPIC_DATA_BYTES_MAX);
  return {
    name,
    defaultStatus: default_status,
    allowedPreferences: [...new Set(fields.allowed_preferences)],
    description,
    includeUnsubscribeHeader: fields.include_unsubscribe_header ?? false,
    routingOptions: [...new Set(fields.routing_options)],
    topicData,
    bytes: bytesOf(fields),
  };
}

async function assertSection(from: EntityManager, workspaceId: string, sectionId: string) {
  if (await from.existsBy(PreferenceSectionEntity, { workspaceId, id: sectionId })) return;
  throw notFound(`Section ${sectionId} does not exist`);
}

const noTopic = (sectionId: string, topicId: string) => notFound(`Topic ${topicId} does not exist in section ${sectionId}`);
