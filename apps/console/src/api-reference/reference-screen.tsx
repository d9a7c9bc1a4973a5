import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { apiReference as words } from '../screen-texts/api-reference';
import { texts } from '../texts';
import { Empty } from '../ui/empty';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/section';
import { find } from './find';
import type { Operation, Reference } from './openapi';
import { OperationList } from './operation-list';
import { referenceQuery } from './queries';
import { ReferencePage } from './reference-page';

const route = getRouteApi('/api-reference');

/** Every operation by resource, or those that a search finds. */
export function ReferenceScreen() {
  const { query: text } = route.useSearch();
  const query = useQuery(referenceQuery);
  return (
    <ReferencePage title={texts.screens.apiReference} part="operations">
      <Loaded query={query}>
        {(reference) => (text === undefined ? <Groups reference={reference} /> : <FoundOperations reference={reference} text={text} />)}
      </Loaded>
    </ReferencePage>
  );
}

function Groups({ reference: { version, groups } }: { reference: Reference }) {
  return (
    <>
      <p className="quiet">{words.intro(version)}</p>
      {groups.map(([name, operations]) => (
        <Section key={name} title={name}>
          <OperationList found={operations.map((item) => ({ item, fields: [] }))} />
        </Section>
      ))}
    </>
  );
}

function FoundOperations({ reference, text }: { reference: Reference; text: string }) {
  const found = find(reference.operations, text, findableOf);
  return (
    <>
      <p role="status" className="quiet">
        {found.length > 0 && words.found(found.length)}
      </p>
      {found.length > 0 && <OperationList found={found} />}
      {found.length === 0 && (
        <Empty title={words.none(text)} hint={words.noneHint}>
          <Link to="/api-reference" className="button">
            {words.all}
          </Link>
        </Empty>
      )}
    </>
  );
}

const findableOf = ({ method, path, summary, fields }: Operation) => ({ text: `${method} ${path} ${summary}`, fields });
