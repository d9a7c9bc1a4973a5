import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMissingScope } from '../api/session';
import type { TranslationSummary } from '../api/types';
import { lineOfError } from '../json-line';
import { translations as words } from '../screen-texts/translations';
import { texts } from '../texts';
import { CodeField } from '../ui/code-field';
import { EditForm } from '../ui/edit-form';
import { Facts } from '../ui/facts';
import { Heading } from '../ui/heading';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/section';
import { Time } from '../ui/time';
import { MissingEntries } from './missing-entries';
import { catalogueQuery, replaceCatalogue } from './queries';

const route = getRouteApi('/translations/$domain/$locale');

/** The translations into a language: the text of a .po file, and what another language has that this one lacks. */
export function CatalogueScreen() {
  const { domain, locale } = route.useParams();
  const query = useQuery(catalogueQuery(domain, locale));
  return (
    <>
      <Heading title={query.data?.summary.locale ?? locale} />
      <p>
        <Link to="/translations">{words.all}</Link>
      </p>
      <Loaded query={query}>
        {(stored) => (
          <>
            {stored ? <CatalogueFacts summary={stored.summary} /> : <p className="quiet">{words.isNew}</p>}
            <Catalogue key={`${domain} ${locale}`} locale={stored?.summary.locale ?? locale} stored={stored?.text ?? ''} />
          </>
        )}
      </Loaded>
    </>
  );
}

function CatalogueFacts({ summary: { domain, bytes, created, updated } }: { summary: TranslationSummary }) {
  return (
    <Facts
      facts={[
        [words.facts.domain, domain],
        [words.facts.size, words.bytes(bytes)],
        [words.facts.created, <Time at={Date.parse(created)} />],
        [words.facts.changed, <Time at={Date.parse(updated)} />],
      ]}
    />
  );
}

function Catalogue({ locale, stored }: { locale: string; stored: string }) {
  const { domain } = route.useParams();
  const [text, setText] = useState(stored);
  const missing = useMissingScope('write:translations');
  const save = useMutation({ mutationFn: () => replaceCatalogue(domain, locale, text) });
  const change = (changed: string) => {
    setText(changed);
    save.reset();
  };
  const line = save.error ? lineOfError('', save.error.message) : undefined;
  return (
    <>
      <Section title={words.text}>
        <EditForm
          save={words.save}
          saved={texts.saved}
          action={save}
          missing={missing}
          isErrorShown={line !== undefined}
          onSubmit={() => save.mutate()}
        >
          <CodeField
            label={words.field}
            value={text}
            problem={save.error && line !== undefined ? { message: save.error.message, line } : undefined}
            isReadOnly={missing !== undefined}
            onChange={change}
          />
        </EditForm>
      </Section>
      <MissingEntries locale={locale} text={text} isReadOnly={missing !== undefined} onChange={change} />
    </>
  );
}
