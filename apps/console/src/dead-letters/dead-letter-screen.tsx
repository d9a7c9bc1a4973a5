import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { DeadLetterRecord } from '../api/types';
import { count } from '../format';
import { deadLetters as words } from '../screen-texts/dead-letters';
import { OperatorsOnly } from '../shell/operators-only';
import { texts } from '../texts';
import { Action, ActionBar } from '../ui/action';
import actionStyles from '../ui/action.module.css';
import { ConfirmDialog } from '../ui/confirm-dialog';
import { Facts } from '../ui/facts';
import { Heading } from '../ui/heading';
import { Json } from '../ui/json';
import { Loaded } from '../ui/loaded';
import { Problem } from '../ui/problem';
import { Section } from '../ui/section';
import { TextBlock } from '../ui/text-block';
import { Time } from '../ui/time';
import { deadLetterQuery, treat, type Treatment } from './queries';

const route = getRouteApi('/dead-letters/$id');

/** A record that no service could process: why, what it has, and what can be done with it. */
export function DeadLetterScreen() {
  const { id } = route.useParams();
  return (
    <>
      <Heading title={id} />
      <OperatorsOnly words={words} command="tidings dead-letters list">
        <DeadLetter key={id} id={id} />
      </OperatorsOnly>
    </>
  );
}

function DeadLetter({ id }: { id: string }) {
  const treatment = useMutation({ mutationFn: (chosen: Treatment) => treat(id, chosen) });
  const isTreated = treatment.isSuccess;
  // Not read again once it is being removed: the answer would be an error.
  const query = useQuery({ ...deadLetterQuery(id), enabled: !treatment.isPending && !isTreated });
  const [isAsking, setIsAsking] = useState(false);
  return (
    <Loaded query={query}>
      {(record) => (
        <>
          <ActionBar>
            <Action
              name={words.redrive}
              hint={record.redrivable ? words.hints.redrive : words.notStored}
              isOff={!record.redrivable || treatment.isPending || isTreated}
              onPress={() => treatment.mutate('redrive')}
            />
            <Action
              name={words.discard}
              isOff={treatment.isPending || isTreated}
              onPress={() => {
                treatment.reset();
                setIsAsking(true);
              }}
            />
            <Link to="/dead-letters" search={{ topic: record.topic }} className="button">
              {words.ofTopic}
            </Link>
            <p role="status" className={actionStyles.done}>
              {isTreated && words.done[treatment.variables]}
            </p>
          </ActionBar>
          {treatment.error && !isAsking && <Problem error={treatment.error} title={texts.problems.failed} />}
          <Record record={record} />
          {isAsking && (
            <ConfirmDialog
              title={words.discardTitle}
              confirm={words.confirmDiscard}
              action={treatment}
              onConfirm={() => treatment.mutate('discard', { onSuccess: () => setIsAsking(false) })}
              onClose={() => setIsAsking(false)}
            >
              <p>{words.hints.discard}</p>
            </ConfirmDialog>
          )}
        </>
      )}
    </Loaded>
  );
}

function Record({ record }: { record: DeadLetterRecord }) {
  const { topic, partition, offset, group, error, time, count: attempts, appended_at: appended, event_id: event, key } = record;
  return (
    <>
      <Section title={words.columns.error}>
        <p>{error}</p>
        {!record.verified && <p>{words.notVerified}</p>}
        {!record.redrivable && <p>{words.notStored}</p>}
      </Section>
      <Facts
        facts={[
          [words.columns.topic, topic],
          [words.facts.position, `${partition} / ${offset}`],
          [words.facts.group, group],
          [words.columns.time, <Time at={Date.parse(time)} />],
          [words.facts.appended, <Time at={Date.parse(appended)} />],
          [words.columns.count, count(attempts)],
          [words.facts.event, event],
          [words.facts.key, key],
          [words.facts.sequence, record.sequence],
        ]}
      />
      <Section title={words.value}>
        {typeof record.value === 'string' ? <Value text={record.value} /> : <p className="quiet">{words.noValue}</p>}
      </Section>
      {record.headers && (
        <Section title={words.headers}>
          <Json value={record.headers} name={words.headers} />
        </Section>
      )}
    </>
  );
}

/** Indented where it is JSON; a long value is cut off by the answer, and then is none. */
function Value({ text }: { text: string }) {
  try {
    return <Json value={JSON.parse(text) as unknown} name={words.value} />;
  } catch {
    return <TextBlock text={text} name={words.value} />;
  }
}
