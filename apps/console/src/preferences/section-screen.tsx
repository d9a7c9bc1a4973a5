import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMissingScope } from '../api/session';
import type { PreferenceSection } from '../api/types';
import { preferences as words } from '../screen-texts/preferences';
import { texts } from '../texts';
import { curl } from '../ui/curl';
import { Empty } from '../ui/empty';
import { Facts } from '../ui/facts';
import { Heading } from '../ui/heading';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/section';
import { Time } from '../ui/time';
import { Archive } from './archive';
import { archiveSection, createTopic, type Preferences, preferencesQuery, replaceSection } from './queries';
import { SectionForm } from './section-form';
import { NEW_TOPIC, TopicForm } from './topic-form';
import { TopicTable } from './topic-table';
import { Unknown } from './unknown';

const route = getRouteApi('/preferences/$sectionId');

/** A section of the preference page, and its topics. */
export function SectionScreen() {
  const { sectionId } = route.useParams();
  const query = useQuery(preferencesQuery);
  const section = query.data?.sections.find(({ id }) => id === sectionId);
  return (
    <>
      <Heading title={section?.name ?? sectionId} />
      <Loaded query={query}>
        {({ last }) => (section ? <Shown key={section.id} section={section} last={last} /> : <Unknown title={words.unknownSection} />)}
      </Loaded>
    </>
  );
}

function Shown({ section, last }: { section: PreferenceSection } & Pick<Preferences, 'last'>) {
  const { id, name, topics, created, updated } = section;
  const missing = useMissingScope('write:preference-sections');
  const navigate = useNavigate();
  const save = useMutation({ mutationFn: (fields: Parameters<typeof replaceSection>[1]) => replaceSection(id, fields) });
  const archive = async () => {
    await archiveSection(id);
    await navigate({ to: '/preferences' });
  };
  return (
    <>
      <p>
        <Link to="/preferences">{words.all}</Link>
      </p>
      <Facts
        facts={[
          [words.facts.id, id],
          [words.facts.created, <Time at={Date.parse(created)} />],
          [words.facts.changed, <Time at={Date.parse(updated)} />],
        ]}
      />
      <Archive
        title={words.archiveSection}
        hint={words.archiveSectionHint}
        obstacle={topics.length > 0 ? words.hasTopics : undefined}
        onConfirm={archive}
      />
      <Section title={words.topics}>
        {topics.length > 0 ? (
          <TopicTable name={words.topics} sections={[section]} last={last} withSection={false} />
        ) : (
          <NoTopics sectionId={id} />
        )}
      </Section>
      <CreateTopic sectionId={id} />
      <Section title={words.section}>
        <SectionForm
          initial={{
            name,
            description: section.description,
            has_custom_routing: section.has_custom_routing,
            routing_options: section.routing_options,
          }}
          save={words.save}
          saved={texts.saved}
          action={save}
          missing={missing}
          onSubmit={save.mutate}
        />
      </Section>
    </>
  );
}

function NoTopics({ sectionId }: { sectionId: string }) {
  const command = curl('POST', `/preferences/sections/${sectionId}/topics`, { name: 'Releases', default_status: 'OPTED_IN' });
  return <Empty title={words.noTopics} hint={words.noTopicsHint} command={command} />;
}

function CreateTopic({ sectionId }: { sectionId: string }) {
  const missing = useMissingScope('write:preference-sections');
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: (fields: Parameters<typeof createTopic>[1]) => createTopic(sectionId, fields),
    onSuccess: ({ id }) => void navigate({ to: '/preferences/$sectionId/$topicId', params: { sectionId, topicId: id } }),
  });
  return (
    <Section title={words.newTopic}>
      <details>
        <summary>{words.newTopicFields}</summary>
        <TopicForm initial={NEW_TOPIC} save={words.newTopic} action={create} missing={missing} onSubmit={create.mutate} />
      </details>
    </Section>
  );
}
