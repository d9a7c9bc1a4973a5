import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMissingScope, useSession } from '../api/session';
import type { Message } from '../api/types';
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
        <Section title={texts.message.timeline}>
          <Loaded query={history}>{(events) => <Timeline events={events} />}</Loaded>
        </Section>
      </div>
      <Routes routes={message.providers ?? []} />
      <Section title={texts.message.output}>
        {missing ? <p className="quiet">{texts.message.contentHidden(missing)}</p> : history.data && <Output history={history.data} />}
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
          <Section title={texts.message.data}>
            {isEmpty ? <p className="quiet">{texts.message.dataNone}</p> : <Json value={data} name={texts.message.data} />}
          </Section>
          <Section title={texts.message.profile}>
            {profile ? <Json value={profile} name={texts.message.profile} /> : <p className="quiet">{texts.message.profileNone}</p>}
          </Section>
        </div>
      )}
      <Section title={texts.message.json}>
        <details>
          <summary>{texts.message.record}</summary>
          <Json value={message} name={texts.message.record} />
        </details>
        <details>
          <summary>{texts.message.history}</summary>
          <Json value={events} name={texts.message.history} />
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
      <Section title={texts.message.accessPerson}>
        <p>{texts.message.accessRole(key.name ?? '', role)}</p>
      </Section>
    );
  }
  return (
    <Section title={texts.message.access}>
      <p>{texts.message.accessKey(key.name ?? undefined, key.end ?? undefined)}</p>
      <p>
        {texts.message.accessMake} <Link to="/api-keys">{texts.screens.apiKeys}</Link>, {texts.message.accessOperator}
      </p>
      <pre tabIndex={0}>{`tidings keys create --workspace ${workspace?.name ?? ''} --name mine`}</pre>
    </Section>
  );
}
