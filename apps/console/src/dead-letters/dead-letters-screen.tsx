import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { DeadLetter } from '../api/types';
import { count } from '../format';
import { deadLetters as words } from '../screen-texts/dead-letters';
import { OperatorsOnly } from '../shell/operators-only';
import { texts } from '../texts';
import { Action, ActionBar } from '../ui/action';
import { curl } from '../ui/curl';
import { Empty } from '../ui/empty';
import { Heading } from '../ui/heading';
import { Loaded } from '../ui/loaded';
import { Paging } from '../ui/paging';
import { type Column, Table } from '../ui/table';
import { Time } from '../ui/time';
import { deadLettersQuery, type Treatment } from './queries';
import { TreatAllDialog } from './treat-all-dialog';

const route = getRouteApi('/dead-letters');
const { columns: headers } = words;

const COLUMNS: readonly Column<DeadLetter>[] = [
  {
    header: headers.id,
    cell: ({ id }) => (
      <Link to="/dead-letters/$id" params={{ id }}>
        {id}
      </Link>
    ),
  },
  {
    header: headers.topic,
    cell: ({ topic }) => (
      <Link to="/dead-letters" search={{ topic }}>
        {topic}
      </Link>
    ),
  },
  { header: headers.error, cell: ({ error }) => error },
  { header: headers.time, cell: ({ time }) => <Time at={Date.parse(time)} /> },
  { header: headers.count, cell: ({ count: attempts }) => count(attempts), isNumber: true },
];

/** The records that no service could process and that wait for an operator. */
export function DeadLettersScreen() {
  return (
    <>
      <Heading title={texts.screens.deadLetters} />
      <OperatorsOnly words={words} command="tidings dead-letters list">
        <DeadLetters />
      </OperatorsOnly>
    </>
  );
}

function DeadLetters() {
  const { topic, cursor } = route.useSearch();
  const query = useQuery(deadLettersQuery({ topic, cursor }));
  const [treatment, setTreatment] = useState<Treatment>();
  const isEmpty = query.data?.results.length === 0;
  return (
    <>
      <ActionBar>
        <Action name={words.all.redrive} isOff={isEmpty} onPress={() => setTreatment('redrive')} />
        <Action name={words.all.discard} isOff={isEmpty} onPress={() => setTreatment('discard')} />
        {topic !== undefined && (
          <Link to="/dead-letters" className="button">
            {words.removeTopic(topic)} <span aria-hidden="true">✕</span>
          </Link>
        )}
      </ActionBar>
      <Loaded query={query}>
        {({ results, paging }) => (
          <>
            {results.length > 0 ? (
              <Table name={texts.screens.deadLetters} columns={COLUMNS} rows={results} keyOf={({ id }) => id} />
            ) : (
              <Empty
                title={words.none}
                hint={words.noneHint}
                command={curl('GET', '/admin/dead-letters', undefined, 'TIDINGS_ADMIN_KEY')}
              />
            )}
            <Paging paging={paging} />
          </>
        )}
      </Loaded>
      {treatment && <TreatAllDialog topic={topic} treatment={treatment} onClose={() => setTreatment(undefined)} />}
    </>
  );
}
