import { Link } from '@tanstack/react-router';
import type { LastPublication, PreferenceSection, PreferenceTopic } from '../api/types';
import { preferences as words } from '../screen-texts/preferences';
import { Badge } from '../ui/status';
import { type Column, Table } from '../ui/table';
import { changeSince } from './changes';

const { columns: headers } = words;

type Row = PreferenceTopic & { section: PreferenceSection; last: LastPublication };

const TOPIC: Column<Row> = {
  header: headers.topic,
  cell: ({ id, name, section }) => (
    <Link to="/preferences/$sectionId/$topicId" params={{ sectionId: section.id, topicId: id }}>
      {name}
    </Link>
  ),
};
const SECTION: Column<Row> = { header: headers.section, cell: ({ section: { id, name } }) => <SectionLink id={id} name={name} /> };
const OTHERS: readonly Column<Row>[] = [
  { header: headers.status, cell: ({ default_status: status }) => <Badge tone="neutral">{status}</Badge> },
  { header: headers.channels, cell: ({ routing_options: channels }) => channels.join(', ') },
  { header: headers.changed, cell: (topic) => <ChangeBadge last={topic.last} item={topic} /> },
];

interface TopicTableProps {
  name: string;
  sections: readonly PreferenceSection[];
  last: LastPublication;
  withSection: boolean;
}

/** The topics of sections, each with what users without a choice get. */
export function TopicTable({ name, sections, last, withSection }: TopicTableProps) {
  const rows = sections.flatMap((section) => section.topics.map((topic) => ({ ...topic, section, last })));
  return <Table name={name} columns={[TOPIC, ...(withSection ? [SECTION] : []), ...OTHERS]} rows={rows} keyOf={({ id }) => id} />;
}

export function SectionLink({ id, name }: { id: string; name: string }) {
  return (
    <Link to="/preferences/$sectionId" params={{ sectionId: id }}>
      {name}
    </Link>
  );
}

/** Whether a section or topic is new or changed since the publication. */
export function ChangeBadge({ last, item }: { last: LastPublication; item: { created: string; updated: string } }) {
  const change = changeSince(last, item);
  return change && <Badge tone="pending">{words.states[change]}</Badge>;
}
