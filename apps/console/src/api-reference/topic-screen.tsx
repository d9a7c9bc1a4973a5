import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { duration } from '../format';
import { apiReference } from '../screen-texts/api-reference';
import { Empty } from '../ui/empty';
import { Facts } from '../ui/facts';
import { Json } from '../ui/json';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/section';
import { TextBlock } from '../ui/text-block';
import type { Topic } from './asyncapi';
import { topicsQuery } from './queries';
import { ReferencePage } from './reference-page';
import type { Schemas } from './schema';
import { SchemaFields } from './schema-fields';

const route = getRouteApi('/api-reference/events/$topic');
const { topics: words, ...shared } = apiReference;

/** One topic: who writes and reads it, its key, its records with an example, and how to read them. */
export function TopicScreen() {
  const { topic: name } = route.useParams();
  const query = useQuery(topicsQuery);
  const topic = query.data?.topics.find((one) => one.name === name);
  return (
    <ReferencePage title={topic?.address ?? (query.data ? words.unknown : shared.events)} part="events">
      <Loaded query={query}>
        {({ schemas }) =>
          topic ? (
            <TopicParts key={name} topic={topic} schemas={schemas} />
          ) : (
            <Empty title={words.unknown} hint={shared.unknownHint}>
              <Link to="/api-reference/events" className="button">
                {words.all}
              </Link>
            </Empty>
          )
        }
      </Loaded>
    </ReferencePage>
  );
}

function TopicParts({ topic, schemas }: { topic: Topic; schemas: Schemas }) {
  const { address, summary, isInterface, cleanup, retentionMs, senders, receivers, messages } = topic;
  const command = `kafka-console-consumer.sh --bootstrap-server "$KAFKA_BROKERS" --topic ${address} --from-beginning \\
  --property print.key=true --property print.headers=true`;
  return (
    <>
      <Section title={shared.summary}>
        <p>{summary}</p>
        <Facts
          facts={[
            [words.topic, isInterface ? words.interface : words.internal],
            [words.key, messages[0]?.bindings.kafka.key.description],
            [words.senders, senders.join(', ')],
            [words.receivers, [...(isInterface ? [words.consumers] : []), ...receivers].join(', ')],
            [words.cleanup, cleanup.join(', ')],
            [words.retention, retentionMs === undefined ? words.forever : duration(retentionMs)],
          ]}
        />
      </Section>
      <Section title={words.read}>
        <TextBlock text={command} name={words.read} />
      </Section>
      {messages.map(({ title, summary: what, headers, payload, examples: [example] = [] }) => (
        <Section key={title} title={title}>
          <p>{what}</p>
          {example && (
            <>
              <h3>{words.example}</h3>
              <Json value={{ headers: example.headers, value: example.payload }} name={words.example} />
            </>
          )}
          <h3>{words.value}</h3>
          <SchemaFields schema={payload} schemas={schemas} />
          <h3>{words.headers}</h3>
          <SchemaFields schema={headers} schemas={schemas} />
        </Section>
      ))}
    </>
  );
}
