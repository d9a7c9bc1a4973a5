import { invalid } from '@tidings/contracts/core/refusals';
import { PREFERENCE_PAGE_BYTES_MAX, SECTIONS_PER_WORKSPACE_MAX } from '@tidings/contracts/identity/preference-sections';
import { TOPICS_PER_SECTION_MAX, TOPICS_PER_WORKSPACE_MAX } from '@tidings/contracts/identity/preference-topics';
import { advisoryLock } from '@tidings/persistence/advisory';
import { statement, transactionOf } from '@tidings/persistence/database';
import type { EntityManager } from 'typeorm';

// SQL because the sums are computed where the rows are.
/** A user's list repeats the section's name at each topic. */
const SIZES = statement(
  'preference-sections-sizes',
  `select count(*)::int as sections, coalesce(max(inner_.topics), 0) as "topicsInOne", coalesce(sum(inner_.topics), 0)::int as topics,
          coalesce(sum(section.bytes + coalesce(inner_.bytes, 0)
                       + coalesce(inner_.topics, 0) * octet_length(to_json(section.name)::text)), 0)::int as bytes
     from preference_sections section
     left join (select topic.section_id, count(topic.topic_id)::int as topics, sum(topic.bytes)::int as bytes
                  from preference_topics topic where topic.workspace_id = $1 group by topic.section_id) inner_
       on inner_.section_id = section.section_id
    where section.workspace_id = $1`,
);

/** Bytes of an answered row beyond the caller's fields: ids, dates, member names. */
const ROW_BYTES = 400;

/** The size to store with a section or topic, in bytes. */
export function bytesOf(fields: object) {
  return ROW_BYTES + Buffer.byteLength(JSON.stringify(fields));
}

/** Locks the workspace's sections and topics against concurrent changes until the transaction ends. */
export const lockSections = advisoryLock('preference-sections', 'identity');

/**
 * After a change, under `lockSections`: all sections and topics fit into one answer.
 * @throws ServiceError `invalid_request` naming the exceeded bound.
 */
export async function assertSectionsFit(tx: EntityManager, workspaceId: string) {
  const [sizes] = await transactionOf(tx).query<Record<'sections' | 'topicsInOne' | 'topics' | 'bytes', number>>(SIZES, [workspaceId]);
  const { sections, topicsInOne, topics, bytes } = sizes!;
  refuseAbove(SECTIONS_PER_WORKSPACE_MAX, sections, 'sections in a workspace');
  refuseAbove(TOPICS_PER_SECTION_MAX, topicsInOne, 'topics in a section');
  refuseAbove(TOPICS_PER_WORKSPACE_MAX, topics, 'topics in a workspace');
  refuseAbove(PREFERENCE_PAGE_BYTES_MAX, bytes, 'bytes of sections and topics in a workspace');
}

function refuseAbove(max: number, count: number, what: string) {
  if (count > max) throw invalid(`There may be at most ${max} ${what}, this would make it ${count}`);
}
