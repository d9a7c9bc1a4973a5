import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMissingScope } from '../api/session';
import { useBrandIds } from '../brands/use-brand-ids';
import { preferences as words } from '../screen-texts/preferences';
import { EditForm } from '../ui/edit-form';
import { Facts } from '../ui/facts';
import { Section } from '../ui/section';
import { Badge } from '../ui/status';
import { TextField } from '../ui/text-field';
import { Time } from '../ui/time';
import { changesSince, type PreferenceChange } from './changes';
import { type Preferences, publish } from './queries';
import { SectionLink } from './topic-table';

const TEXT_ROWS = 2;
const TONES = { created: 'good', changed: 'pending', removed: 'bad' } as const;

/** The last publication, what changed since, and the next one. */
export function Publication({ preferences: { sections, last } }: { preferences: Preferences }) {
  const { publication } = last;
  const changes = changesSince(last, sections);
  return (
    <Section title={words.publication}>
      {publication ? (
        <>
          <Facts
            facts={[
              [words.facts.published, <Time at={Date.parse(publication.published_at)} />],
              [words.facts.version, String(publication.published_version)],
              [words.facts.page, publication.page_id],
            ]}
          />
          <h3>{words.changes}</h3>
          {changes.length === 0 ? <p className="quiet">{words.noChanges}</p> : <Changes changes={changes} />}
        </>
      ) : (
        <p>{words.notPublished}</p>
      )}
      <p className="quiet">{words.applyHint}</p>
      <Publish last={last} />
    </Section>
  );
}

function Changes({ changes }: { changes: readonly PreferenceChange[] }) {
  return (
    <ul aria-label={words.changes}>
      {changes.map((one) => (
        <li key={one.id}>
          <Badge tone={TONES[one.change]}>{words.change[one.change]}</Badge> {words.kinds[one.kind]} <Changed change={one} />{' '}
          <Time at={Date.parse(one.at)} />
        </li>
      ))}
    </ul>
  );
}

function Changed({ change: { kind, id, sectionId, name } }: { change: PreferenceChange }) {
  if (name === undefined) return <code>{id}</code>;
  if (kind === 'section' || sectionId === undefined) return <SectionLink id={id} name={name} />;
  return (
    <Link to="/preferences/$sectionId/$topicId" params={{ sectionId, topicId: id }}>
      {name}
    </Link>
  );
}

function Publish({ last: { publication } }: Pick<Preferences, 'last'>) {
  const [heading, setHeading] = useState(publication?.heading ?? '');
  const [description, setDescription] = useState(publication?.description ?? '');
  const [brandId, setBrandId] = useState(publication?.brand_id ?? '');
  const missing = useMissingScope('write:preference-sections');
  const brandIds = useBrandIds();
  const isReadOnly = missing !== undefined;
  const save = useMutation({
    mutationFn: () => publish({ heading: heading || null, description: description || null, brand_id: brandId.trim() || null }),
  });
  return (
    <EditForm save={words.publish} saved={words.published} action={save} missing={missing} onSubmit={() => save.mutate()}>
      <TextField label={words.heading} value={heading} isReadOnly={isReadOnly} onChange={setHeading} />
      <TextField label={words.text} value={description} rows={TEXT_ROWS} isReadOnly={isReadOnly} onChange={setDescription} />
      <TextField label={words.brand} value={brandId} suggestions={brandIds} isReadOnly={isReadOnly} onChange={setBrandId} />
    </EditForm>
  );
}
