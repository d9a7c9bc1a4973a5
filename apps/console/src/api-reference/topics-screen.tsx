import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { apiReference } from '../screen-texts/api-reference';
import { Empty } from '../ui/empty';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/section';
import type { Topic, Topics } from './asyncapi';
import { find, type Found } from './find';
import { Prose } from './prose';
import { topicsQuery } from './queries';
import { ReferencePage } from './reference-page';
import styles from './api-reference.module.css';

const route = getRouteApi('/api-reference/events');
const { topics: words, ...shared } = apiReference;

/** The topics: those for every consumer, then those between the services; or those that a search finds. */
export function TopicsScreen() {
  const { query: text } = route.useSearch();
  const query = useQuery(topicsQuery);
  return (
    <ReferencePage title={shared.events} part="events">
      <Loaded query={query}>
        {(topics) => (text === undefined ? <Groups topics={topics} /> : <FoundTopics topics={topics} text={text} />)}
      </Loaded>
    </ReferencePage>
  );
}

function Groups({ topics: { description, topics } }: { topics: Topics }) {
  return (
    <>
      <Prose text={description} />
      {([true, false] as const).map((isInterface) => (
        <Section key={String(isInterface)} title={isInterface ? words.interface : words.internal}>
          <TopicList found={topics.filter((topic) => topic.isInterface === isInterface).map((item) => ({ item, fields: [] }))} />
        </Section>
      ))}
    </>
  );
}

function FoundTopics({ topics: { topics }, text }: { topics: Topics; text: string }) {
  const found = find(topics, text, ({ address, summary, fields }) => ({ text: `${address} ${summary}`, fields }));
  return (
    <>
      <p role="status" className="quiet">
        {found.length > 0 && words.found(found.length)}
      </p>
      {found.length > 0 && <TopicList found={found} />}
      {found.length === 0 && (
        <Empty title={words.none(text)} hint={shared.noneHint}>
          <Link to="/api-reference/events" className="button">
            {words.all}
          </Link>
        </Empty>
      )}
    </>
  );
}

function TopicList({ found }: { found: readonly Found<Topic>[] }) {
  return (
    <ul className={styles.operations}>
      {found.map(({ item: { name, address, summary }, fields }) => (
        <li key={name} data-row>
          <Link to="/api-reference/events/$topic" params={{ topic: name }} className={styles.operation}>
            <span className={styles.path}>{address}</span>
          </Link>{' '}
          <span>{summary}</span>
          {fields.length > 0 && <span className={styles.rules}> {shared.foundFields(fields, 0)}</span>}
        </li>
      ))}
    </ul>
  );
}
