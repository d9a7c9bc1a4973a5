import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMissingScope, useSession } from '../api/session';
import type { ProviderHealth } from '../api/types';
import { NewestFailures } from '../messages/newest-failures';
import { providers as words } from '../screen-texts/providers';
import { texts } from '../texts';
import { Action, ActionBar } from '../ui/action';
import styles from '../ui/action.module.css';
import { CopyButton } from '../ui/copy-button';
import { shellQuoted } from '../ui/curl';
import { Empty } from '../ui/empty';
import { Facts } from '../ui/facts';
import { Heading } from '../ui/heading';
import { Json } from '../ui/json';
import { Loaded } from '../ui/loaded';
import { Problem } from '../ui/problem';
import { Section } from '../ui/section';
import { TextBlock } from '../ui/text-block';
import { Time } from '../ui/time';
import { CallTime, FailedCalls } from './calls';
import { ProviderState } from './provider-state';
import { DEFAULT_ID, enable, providersQuery, retryNow, settingsQuery } from './queries';
import { TestButton } from './test-button';
import { Waiting } from './waiting';

const route = getRouteApi('/providers/$id');

/** One provider: whether it works, what waits, its newest failures and its settings. */
export function ProviderScreen() {
  const { id } = route.useParams();
  const query = useQuery(providersQuery);
  const found = query.data?.find((one) => one.id === id);
  return (
    <>
      <Heading title={found?.title ?? id} />
      <Loaded query={query}>{() => (found ? <Provider key={id} provider={found} /> : <Unknown />)}</Loaded>
    </>
  );
}

function Unknown() {
  return (
    <Empty title={words.unknown} hint={texts.problems.notFound}>
      <Link to="/providers" className="button">
        {texts.screens.providers}
      </Link>
    </Empty>
  );
}

function Provider({ provider }: { provider: ProviderHealth }) {
  const { id, provider: kind, channel, alias, paused_at: pausedAt, paused_by: pausedBy } = provider;
  return (
    <>
      <Actions provider={provider} />
      <Facts
        facts={[
          [words.columns.state, <ProviderState provider={provider} />],
          [words.facts.kind, kind],
          [words.columns.channel, channel],
          [words.facts.alias, alias],
          [words.facts.id, id],
          [words.columns.calls, <FailedCalls provider={provider} />],
          [words.columns.p99, <CallTime provider={provider} />],
          [words.columns.waiting, <Waiting provider={provider} />],
          [words.facts.pausedBy, pausedBy],
          [words.facts.pausedAt, pausedAt && <Time at={pausedAt} />],
        ]}
      />
      <NewestFailures filter={{ provider: id }} />
      {id === DEFAULT_ID ? <p className="quiet">{words.ofOperators}</p> : <Settings id={id} />}
      <Pauses provider={provider} />
    </>
  );
}

function Actions({ provider: { id, enabled, breaker, waiting } }: { provider: ProviderHealth }) {
  const missing = useMissingScope('write:providers');
  const retry = useMutation({ mutationFn: () => retryNow(id) });
  const change = useMutation({ mutationFn: (enabled: boolean) => enable(id, enabled) });
  const error = retry.error ?? change.error;
  const isDefault = id === DEFAULT_ID;
  return (
    <>
      <ActionBar>
        <TestButton id={id} />
        <Action
          name={words.retryNow}
          hint={words.retryNowHint}
          missing={missing}
          isOff={(waiting === 0 && breaker === 'closed') || retry.isPending}
          onPress={() => retry.mutate()}
        />
        <Action
          name={enabled ? words.disable : words.enable}
          hint={isDefault ? words.ofOperators : words.disableHint}
          missing={missing}
          isOff={isDefault || change.isPending}
          onPress={() => change.mutate(!enabled)}
        />
        <p role="status" className={styles.done}>
          {retry.data && words.retriedNow(retry.data.deliveries)}
        </p>
      </ActionBar>
      {error && <Problem error={error} title={texts.problems.failed} />}
    </>
  );
}

function Settings({ id }: { id: string }) {
  const query = useQuery(settingsQuery(id));
  return (
    <Section title={words.settings}>
      <Loaded query={query}>
        {({ settings, callback_url: callback }) => (
          <>
            <Json value={settings} name={words.settings} />
            {callback && (
              <>
                <p>{words.callback}</p>
                <TextBlock text={callback} name={words.callbackName} />
                <div>
                  <CopyButton text={callback} />
                </div>
              </>
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
}

/** Operators pause and resume; the page says how. */
function Pauses({ provider: { id, state, paused_name: pausedName = id, paused_in_all: isInAll } }: { provider: ProviderHealth }) {
  const { workspace } = useSession();
  const command = `tidings providers ${state === 'paused' ? 'resume' : 'pause'} ${pausedName}`;
  return (
    <Section title={words.pauses}>
      <p>{words.pausesHint}</p>
      <pre tabIndex={0}>{isInAll ? command : `${command} --workspace ${shellQuoted(workspace?.name ?? '')}`}</pre>
    </Section>
  );
}
