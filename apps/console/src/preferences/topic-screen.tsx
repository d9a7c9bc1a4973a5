import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useMissingScope } from '../api/session';
import type { PreferenceSection, PreferenceTopic } from '../api/types';
import { preferences as words } from '../screen-texts/preferences';
import { texts } from '../texts';
import { Facts } from '../ui/facts';
import { Heading } from '../ui/heading';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/section';
import { Time } from '../ui/time';
import { Archive } from './archive';
import { archiveTopic, preferencesQuery, replaceTopic } from './queries';
import { TopicForm } from './topic-form';
import { SectionLink } from './topic-table';
import { Unknown } from './unknown';

/** A topic: what users without a choice get, and what the preference page offers them. */
export function TopicScreen() {
  const { topicId = '' } = useParams({ strict: false });
  const query = useQuery(preferencesQuery);
  const section = query.data?.sections.find(({ topics }) => topics.some(({ id }) => id === topicId));
  const topic = section?.topics.find(({ id }) => id === topicId);
  return (
    <>
      <Heading title={topic?.name ?? topicId} />
      <Loaded query={query}>
        {() => (section && topic ? <Shown key={topic.id} section={section} topic={topic} /> : <Unknown title={words.unknownTopic} />)}
      </Loaded>
    </>
  );
}

function Shown({ section, topic }: { section: PreferenceSection; topic: PreferenceTopic }) {
  const { id, created, updated, ...fields } = topic;
  const missing = useMissingScope('write:preference-sections');
  const navigate = useNavigate();
  const save = useMutation({ mutationFn: (changed: Parameters<typeof replaceTopic>[2]) => replaceTopic(section.id, id, changed) });
  const archive = async () => {
    await archiveTopic(section.id, id);
    await navigate({ to: '/preferences/$sectionId', params: { sectionId: section.id } });
  };
  return (
    <>
      <Facts
        facts={[
          [words.columns.section, <SectionLink id={section.id} name={section.name} />],
          [words.facts.id, id],
          [words.facts.created, <Time at={Date.parse(created)} />],
          [words.facts.changed, <Time at={Date.parse(updated)} />],
        ]}
      />
      <Archive title={words.archiveTopic} hint={words.archiveTopicHint} onConfirm={archive} />
      <Section title={words.topic}>
        <TopicForm initial={fields} save={words.save} saved={texts.saved} action={save} missing={missing} onSubmit={save.mutate} />
      </Section>
    </>
  );
}
