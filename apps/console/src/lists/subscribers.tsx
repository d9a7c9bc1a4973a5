import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMissingScope } from '../api/session';
import type { Subscription } from '../api/types';
import { lists as words } from '../screen-texts/lists';
import { texts } from '../texts';
import { Action } from '../ui/action';
import { curl } from '../ui/curl';
import { Empty } from '../ui/empty';
import { LineForm } from '../ui/line-form';
import { Loaded } from '../ui/loaded';
import { Paging } from '../ui/paging';
import { Problem } from '../ui/problem';
import { type Column, Table } from '../ui/table';
import { Time } from '../ui/time';
import { subscribe, subscribersQuery, unsubscribe } from './queries';

const route = getRouteApi('/lists/$listId');
const { subscriberColumns: headers } = words;

/** The users of a list, who can be added and removed. `isEnding`: the list is being deleted, and its subscribers are not read again. */
export function Subscribers({ listId, isEnding }: { listId: string; isEnding: boolean }) {
  const { cursor } = route.useSearch();
  const query = useQuery({ ...subscribersQuery(listId, cursor), enabled: !isEnding });
  const missing = useMissingScope('write:lists');
  const remove = useMutation({ mutationFn: (userId: string) => unsubscribe(listId, userId) });
  return (
    <>
      <LineForm label={words.subscriber} submit={words.subscribe} scope="write:lists" onSubmit={(userId) => subscribe(listId, userId)} />
      {remove.error && <Problem error={remove.error} title={texts.problems.failed} />}
      <Loaded query={query}>
        {({ items, paging }) => (
          <>
            {items.length > 0 ? (
              <Table
                name={words.tabs.subscribers}
                columns={columnsWith(missing, remove.isPending, (userId) => remove.mutate(userId))}
                rows={items}
                keyOf={({ recipientId }) => recipientId}
              />
            ) : (
              <None listId={listId} />
            )}
            <Paging paging={paging} />
          </>
        )}
      </Loaded>
    </>
  );
}

function columnsWith(missing: string | undefined, isBusy: boolean, onRemove: (userId: string) => void): readonly Column<Subscription>[] {
  return [
    {
      header: headers.user,
      cell: ({ recipientId }) => (
        <Link to="/users/$userId" params={{ userId: recipientId }}>
          {recipientId}
        </Link>
      ),
    },
    { header: headers.since, cell: ({ created }) => <Time at={Date.parse(created)} /> },
    { header: headers.preferences, cell: ({ preferences }) => preferences && <code>{JSON.stringify(preferences)}</code> },
    {
      header: headers.remove,
      cell: ({ recipientId }) => (
        <Action
          name={words.unsubscribe}
          label={words.unsubscribeOf(recipientId)}
          missing={missing}
          isOff={isBusy}
          onPress={() => onRemove(recipientId)}
        />
      ),
    },
  ];
}

function None({ listId }: { listId: string }) {
  const recipients = [{ recipientId: 'ada' }, { recipientId: 'bob' }];
  const command = curl('POST', `/lists/${encodeURIComponent(listId)}/subscriptions`, { recipients });
  return <Empty title={words.noSubscribers} hint={words.noSubscribersHint} command={command} />;
}
