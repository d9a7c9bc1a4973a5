import { changesSince } from './changes';

const at = (minute: number): string => `2026-03-01T10:0${minute}:00.000Z`;
const publication = { page_id: 'pge_1', published_at: at(3), published_version: 1 };
const topic = (id: string, created: number, updated: number) => ({
  id,
  name: id,
  default_status: 'OPTED_IN' as const,
  allowed_preferences: [],
  include_unsubscribe_header: false,
  routing_options: [],
  topic_data: {},
  created: at(created),
  updated: at(updated),
});
const section = {
  id: 'sct_1',
  name: 'News',
  has_custom_routing: false,
  routing_options: [],
  topics: [topic('old', 1, 3), topic('changed', 1, 4), topic('new', 5, 5)],
  created: at(1),
  updated: at(2),
};

it('lists what was created, changed and removed since the publication, the newest first', () => {
  const last = { publication, removed: [{ kind: 'topic' as const, id: 'deleted', removed: at(6) }] };

  expect(changesSince(last, [section]).map(({ change, id, sectionId }) => [change, id, sectionId])).toEqual([
    ['removed', 'deleted', undefined],
    ['created', 'new', 'sct_1'],
    ['changed', 'changed', 'sct_1'],
  ]);
});

it('has nothing to compare with before the first publication', () => {
  expect(changesSince({ publication: null, removed: [] }, [section])).toEqual([]);
});
