import { invalid } from '@tidings/contracts/core/refusals';
import { PREFERENCE_PAGE_BYTES_MAX, SECTIONS_PER_WORKSPACE_MAX } from '@tidings/contracts/identity/preference-sections';
import { TOPICS_PER_SECTION_MAX, TOPICS_PER_WORKSPACE_MAX } from '@tidings/contracts/identity/preference-topics';
import { advisoryLock } from '@tidings/persistence/advisory';
import { statement, transactionOf } from '@tidings/persistence/database';
import type { EntityManager } from 'typeorm';

const acquireLock = advisoryLock('preference-sections', 'identity');

/**
 * SQL, because the sums are computed where the rows are. One row for each section, so at most one above the bound. A user's list repeats
 * the section's name at each topic.
 */
const SIZES = statement(
  'preference-sections-sizes',
  `select section.bytes + coalesce(inner_.bytes, 0) + coalesce(inner_.topics, 0) * octet_length(to_json(section.name)::text) as bytes,
          coalesce(inner_.topics, 0) as topics
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
export async function lockSections(tx: EntityManager, workspaceId: string) {
  await acquireLock(transactionOf(tx), workspaceId);
}

/**
 * After a change, under `lockSections`: all sections and topics fit into one answer.
 * @throws ServiceError `invalid_request` naming the exceeded bound.
 */
export async function assertSectionsFit(tx: EntityManager, workspaceId: string) {
  const sections = await transactionOf(tx).query<{ bytes: number; topics: number }>(SIZES, [workspaceId]);
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  const topics = sections.map((section) => section.topics);
  refuseAbove(SECTIONS_PER_WORKSPACE_MAX, sections.length, 'sections in a workspace');
  refuseAbove(TOPICS_PER_SECTION_MAX, Math.max(0, ...topics), 'topics in a section');
  refuseAbove(TOPICS_PER_WORKSPACE_MAX, sum(topics), 'topics in a workspace');
  refuseAbove(PREFERENCE_PAGE_BYTES_MAX, sum(sections.map(({ bytes }) => bytes)), 'bytes of sections and topics in a workspace');
}

function refuseAbove(max: number, count: number, what: string) {
  if (count > max) throw invalid(`There may be at most ${max} ${what}, this would make it ${count}`);
}
