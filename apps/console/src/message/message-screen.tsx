import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMissingScope, useSession } from '../api/session';
import type { Message } from '../api/types';
import { message as words } from '../screen-texts/message';
import { texts } from '../texts';
import { Heading } from '../ui/heading';
import { Json } from '../ui/json';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/section';
import { Status } from '../ui/status';
import { Actions } from './actions';
import { Explain } from './explain';
import { Facts } from './facts';
import { objectOf } from './fields';
import styles from './message.module.css';
import { Output } from './output';
import { type HistoryEvent, historyQuery, messageQuery } from './queries';
import { Routes } from './routes';
import { Timeline } from './timeline';

const route = getRouteApi('/messages/$messageId');

/** Why a message was or was not delivered, what happened, and its content. */
export function MessageScreen() {
  const { messageId } = route.useParams();
  const query = useQuery(messageQuery(messageId));
  return (
    <>
      <div className={styles.head}>
        <Heading title={messageId} />
        {query.data && <Status value={query.data.status} />}
      </div>
      <Loaded query={query}>{(message) => <Details key={message.id} message={message} />}</Loaded>
    </>
  );
}

function Details({ message }: { message: Message }) {
  const history = useQuery(historyQuery(message));
  const missing = useMissingScope('read:messages');
  return (
    <>
      <Actions message={message} />
      <Facts message={message} />
      <div className={styles.columns}>
        <Explain message={message} />
        <Section title={words.timeline}>
          <Loaded query={history}>{(events) => <Timeline events={events} />}</Loaded>
        </Section>
      </div>
      <Routes routes={message.providers ?? []} />
      <Section title={words.output}>
        {missing ? <p className="quiet">{words.contentHidden(missing)}</p> : history.data && <Output history={history.data} />}
      </Section>
      {history.data && <Data message={message} events={history.data} isHidden={missing !== undefined} />}
      <Access />
    </>
  );
}

/** What the message was made of, and all of it as JSON. */
function Data({ message, events, isHidden }: { message: Message; events: readonly HistoryEvent[]; isHidden: boolean }) {
  const field = (type: string, name: string) => events.filter((event) => event.type === type).map((event) => objectOf(event, name))[0];
  const data = field('ENQUEUED', 'data') ?? {};
  const profile = field('PROFILE_LOADED', 'merged_profile');
  const isEmpty = Object.keys(data).length === 0;
  return (
    <>
      {!isHidden && (
        <div className={styles.columns}>
          <Section title={words.data}>
            {isEmpty ? <p className="quiet">{words.dataNone}</p> : <Json value={data} name={words.data} />}
          </Section>
          <Section title={words.profile}>
            {profile ? <Json value={profile} name={words.profile} /> : <p className="quiet">{words.profileNone}</p>}
          </Section>
        </div>
      )}
      <Section title={texts.json}>
        <details>
          <summary>{words.record}</summary>
          <Json value={message} name={words.record} />
        </details>
        <details>
          <summary>{words.history}</summary>
          <Json value={events} name={words.history} />
        </details>
      </Section>
    </>
  );
}

/** The key of the session by its name and end, and how another one is made; or the person with the role. */
function Access() {
  const { key, role, workspace } = useSession();
  if (role) {
    return (
      <Section title={words.accessPerson}>
        <p>{words.accessRole(key.name ?? '', role)}</p>
      </Section>
    );
  }
  return (
    <Section title={words.access}>
      <p>{words.accessKey(key.name ?? undefined, key.end ?? undefined)}</p>
      <p>
        {words.accessMake} <Link to="/api-keys">{texts.screens.apiKeys}</Link>, {words.accessOperator}
      </p>
      <pre tabIndex={0}>{`tidings keys create --workspace ${workspace?.name ?? ''} --name mine`}</pre>
    </Section>
  );
}
