import type { LastPublication, PreferenceSection } from '../api/types';

/** A section or topic that differs from the last publication. */
export interface PreferenceChange {
  change: 'created' | 'changed' | 'removed';
  kind: 'section' | 'topic';
  id: string;
  /** That of a topic which still exists. */
  sectionId?: string;
  /** Absent for what was archived. */
  name?: string;
  at: string;
}

/** Whether something was created or changed after the publication. */
export function changeSince(
  { publication }: LastPublication,
  { created, updated }: { created: string; updated: string },
): 'created' | 'changed' | undefined {
  if (!publication || updated <= publication.published_at) return undefined;
  return created > publication.published_at ? 'created' : 'changed';
}

/** What changed since the publication, the newest first; nothing before there is one. */
export function changesSince(last: LastPublication, sections: readonly PreferenceSection[]): PreferenceChange[] {
  const stored = sections.flatMap((section) => [
    { kind: 'section' as const, item: section, sectionId: undefined },
    ...section.topics.map((topic) => ({ kind: 'topic' as const, item: topic, sectionId: section.id })),
  ]);
  const changed = stored.flatMap(({ kind, item, sectionId }) => {
    const change = changeSince(last, item);
    return change === undefined ? [] : [{ change, kind, id: item.id, sectionId, name: item.name, at: item.updated }];
  });
  const removed = last.removed.map(({ kind, id, removed: at }) => ({ change: 'removed' as const, kind, id, at }));
  return [...changed, ...removed].sort((one, other) => (one.at < other.at ? 1 : -1));
}
