import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { ApiError } from '../api/client';
import { useMissingScope } from '../api/session';
import { JsonEditor } from '../json-editor/json-editor';
import { parseObject } from '../json-object';
import { whatIf as words } from '../screen-texts/what-if';
import { texts } from '../texts';
import { Action, ActionBar } from '../ui/action';
import { curl } from '../ui/curl';
import { Empty } from '../ui/empty';
import { Heading } from '../ui/heading';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/section';
import { dryRunQuery, type Planned } from './queries';
import { Result } from './result';
import { SendIt } from './send-it';

const route = getRouteApi('/what-if');
const FIRST_BODY = { message: { to: { user_id: 'ada' }, content: { title: 'Hello {name}', body: 'It works' }, data: { name: 'Ada' } } };

/** What a send would do, of a body that is written here, or of a message that the address names. Nothing is stored or sent. */
export function WhatIfScreen() {
  const { message } = route.useSearch();
  return (
    <>
      <Heading title={texts.screens.whatIf} />
      {message === undefined ? <OfBody /> : <OfMessage key={message} message={message} />}
    </>
  );
}

function OfMessage({ message }: { message: string }) {
  const planned: Planned = { message };
  return (
    <>
      <p>
        {words.ofMessage}
        <Link to="/messages/$messageId" params={{ messageId: message }}>
          {message}
        </Link>
      </p>
      <p>
        <Link to="/what-if" className="button">
          {words.ownBody}
        </Link>
      </p>
      <Outcome planned={planned} />
    </>
  );
}

function OfBody() {
  const [text, setText] = useState(() => JSON.stringify(FIRST_BODY, null, 2));
  const [planned, setPlanned] = useState<{ body: string }>();
  const { error, refetch } = useQuery(dryRunQuery(planned));
  const remarks = useMemo(
    () => (error instanceof ApiError && error.status === 400 ? [{ severity: 'error' as const, message: error.message }] : []),
    [error],
  );
  const isWrong = 'problem' in parseObject(text);
  const run = () => {
    if (text === planned?.body) void refetch();
    else setPlanned({ body: text });
  };
  return (
    <>
      <Section title={words.body}>
        <p className="quiet">{words.hint}</p>
        <JsonEditor label={words.label} initial={text} remarks={remarks} onChange={setText} />
        <ActionBar>
          <Action name={words.run} missing={useMissingScope('read:dry-runs')} isOff={isWrong} onPress={run} />
        </ActionBar>
      </Section>
      {planned === undefined ? (
        <Empty title={words.none} hint={words.noneHint} command={curl('POST', '/console/api/dry-runs', FIRST_BODY)} />
      ) : (
        <Outcome planned={planned} isOutdated={text !== planned.body} />
      )}
    </>
  );
}

/** What would happen, and the button that does it. */
function Outcome({ planned, isOutdated = false }: { planned: Planned; isOutdated?: boolean }) {
  const query = useQuery(dryRunQuery(planned));
  return (
    <Section title={words.result} actions={<SendIt planned={planned} result={isOutdated ? undefined : query.data} />}>
      <Loaded query={query}>{(result) => <Result result={result} />}</Loaded>
    </Section>
  );
}
