import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMissingScope } from '../api/session';
import type { LastPublication, PreferenceSection } from '../api/types';
import { count } from '../format';
import { preferences as words } from '../screen-texts/preferences';
import { texts } from '../texts';
import { curl } from '../ui/curl';
import { Empty } from '../ui/empty';
import { Heading } from '../ui/heading';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/section';
import { type Column, Table } from '../ui/table';
import { Publication } from './publication';
import { createSection, preferencesQuery } from './queries';
import { NEW_SECTION, SectionForm } from './section-form';
import { ChangeBadge, SectionLink, TopicTable } from './topic-table';

const { sectionColumns: headers } = words;

type Row = PreferenceSection & { last: LastPublication };

const COLUMNS: readonly Column<Row>[] = [
  { header: headers.name, cell: ({ id, name }) => <SectionLink id={id} name={name} /> },
  { header: headers.topics, cell: ({ topics }) => count(topics.length), isNumber: true },
  { header: headers.channels, cell: ({ routing_options: channels }) => channels.join(', ') },
  { header: headers.changed, cell: (section) => <ChangeBadge last={section.last} item={section} /> },
];

/** The topics that users have a choice for, their sections, and the publication of the preference page. */
export function PreferencesScreen() {
  const query = useQuery(preferencesQuery);
  return (
    <>
      <Heading title={texts.screens.preferences} />
      <Loaded query={query}>
        {(preferences) => {
          const { sections, last } = preferences;
          const hasTopics = sections.some(({ topics }) => topics.length > 0);
          return (
            <>
              {hasTopics ? <TopicTable name={texts.screens.preferences} sections={sections} last={last} withSection /> : <None />}
              {sections.length > 0 && (
                <Section title={words.sections}>
                  <Table
                    name={words.sections}
                    columns={COLUMNS}
                    rows={sections.map((section) => ({ ...section, last }))}
                    keyOf={({ id }) => id}
                  />
                </Section>
              )}
              <Publication preferences={preferences} />
            </>
          );
        }}
      </Loaded>
      <Create />
    </>
  );
}

function None() {
  return <Empty title={words.none} hint={words.noneHint} command={curl('POST', '/preferences/sections', { name: 'News' })} />;
}

function Create() {
  const missing = useMissingScope('write:preference-sections');
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: createSection,
    onSuccess: ({ id }) => void navigate({ to: '/preferences/$sectionId', params: { sectionId: id } }),
  });
  return (
    <Section title={words.newSection}>
      <SectionForm initial={NEW_SECTION} save={words.newSection} action={create} missing={missing} onSubmit={create.mutate} />
    </Section>
  );
}
