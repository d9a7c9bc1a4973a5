import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import type { BodyOf, LastPublication, PreferenceSection } from '../api/types';

export type SectionFields = BodyOf<'identity.preference-sections.create'>;
export type TopicFields = BodyOf<'identity.preference-topics.create'>;

/** All sections with their topics, and the last publication. What is being written must not be replaced. */
export const preferencesQuery = queryOptions({
  queryKey: ['preference-sections'],
  queryFn: async (): Promise<Preferences> => {
    const [{ results }, last] = await Promise.all([
      answerOf(api.GET('/preferences/sections')),
      answerOf(api.GET('/console/api/preferences/publication')),
    ]);
    return { sections: results, last };
  },
  refetchOnWindowFocus: false,
});

export interface Preferences {
  sections: PreferenceSection[];
  last: LastPublication;
}

const ofSection = (id: string) => ({ path: { section_id: id } });
const ofTopic = (sectionId: string, id: string) => ({ path: { section_id: sectionId, topic_id: id } });

export function createSection(body: SectionFields) {
  return answerOf(api.POST('/preferences/sections', { body }));
}

export function replaceSection(id: string, body: SectionFields) {
  return answerOf(api.PUT('/preferences/sections/{section_id}', { params: ofSection(id), body }));
}

export function archiveSection(id: string) {
  return answerOf(api.DELETE('/preferences/sections/{section_id}', { params: ofSection(id) }));
}

export function createTopic(sectionId: string, body: TopicFields) {
  return answerOf(api.POST('/preferences/sections/{section_id}/topics', { params: ofSection(sectionId), body }));
}

export function replaceTopic(sectionId: string, id: string, body: TopicFields) {
  return answerOf(api.PUT('/preferences/sections/{section_id}/topics/{topic_id}', { params: ofTopic(sectionId, id), body }));
}

export function archiveTopic(sectionId: string, id: string) {
  return answerOf(api.DELETE('/preferences/sections/{section_id}/topics/{topic_id}', { params: ofTopic(sectionId, id) }));
}

export function publish(body: BodyOf<'identity.preference-sections.publish'>) {
  return answerOf(api.POST('/preferences/publish', { body }));
}
