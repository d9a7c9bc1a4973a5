import type { RoutingStrategy } from '../api/types';
import { routingStrategies as words } from '../screen-texts/routing-strategies';
import styles from './routing-tree.module.css';

type Fields = Record<string, unknown>;
type Method = keyof typeof words.methods;
type Settings = Pick<RoutingStrategy, 'channels' | 'providers'>;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : []);
const methodOf = (value: unknown): Method => (value === 'all' ? 'all' : 'single');

/** A routing in words: which channels and providers are used, in which order, and on which conditions. */
export function RoutingTree({ routing, ...settings }: Settings & { routing: unknown }) {
  const { method, channels } = fieldsOf(routing);
  const chosen = methodOf(method);
  const List = chosen === 'single' ? 'ol' : 'ul';
  return (
    <div className={styles.node}>
      <p>{words.methods[chosen]}</p>
      <List className={styles.list}>
        {listOf(channels).map((channel, index) => (
          <li key={index}>
            {isFields(channel) && !('channel' in channel) ? (
              <RoutingTree routing={channel} {...settings} />
            ) : (
              <Channel channel={channel} {...settings} />
            )}
          </li>
        ))}
      </List>
    </div>
  );
}

/** A channel or provider of the tree with its settings: those of the tree, else those of the strategy for it. */
function Channel({ channel, channels, providers }: Settings & { channel: unknown }) {
  const own = isFields(channel) ? channel : { channel };
  const name = String(own.channel);
  const settings = { ...fieldsOf(channels[name]), ...fieldsOf(providers[name]), ...own };
  const named = listOf(settings.providers).map((one) => (isFields(one) ? one : { name: one }));
  const method = methodOf(own.method ?? settings.routing_method);
  return (
    <>
      <strong>{name}</strong> <Notes settings={settings} />
      {named.length > 0 && (
        <>
          {words.providersBy[method]}
          <ol className={styles.list}>
            {named.map((provider, index) => (
              <li key={index}>
                {String(provider.name)} <Notes settings={{ ...fieldsOf(providers[String(provider.name)]), ...provider }} />
              </li>
            ))}
          </ol>
        </>
      )}
    </>
  );
}

/** Conditions and settings of a channel or a provider. */
function Notes({ settings }: { settings: Fields }) {
  const { if: condition, brand_id: brand, timeouts, override, config } = settings;
  const notes: [string, string][] = [];
  if (typeof condition === 'string') notes.push([words.notes.if, condition]);
  if (typeof brand === 'string') notes.push([words.notes.brand, brand]);
  if (timeouts !== undefined && timeouts !== null) notes.push([words.notes.timeouts, JSON.stringify(timeouts)]);
  const fields = [...Object.keys(fieldsOf(override)), ...Object.keys(fieldsOf(config))];
  if (fields.length > 0) notes.push([words.notes.override, fields.join(', ')]);
  return notes.map(([note, value]) => (
    <span key={note} className={styles.note}>
      {note} <code>{value}</code>{' '}
    </span>
  ));
}
