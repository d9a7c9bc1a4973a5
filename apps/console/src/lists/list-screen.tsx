import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMissingScope } from '../api/session';
import type { List } from '../api/types';
import { lists as words } from '../screen-texts/lists';
import { texts } from '../texts';
import { Action, ActionBar } from '../ui/action';
import { ConfirmDialog } from '../ui/confirm-dialog';
import { Empty } from '../ui/empty';
import { Facts } from '../ui/facts';
import { Heading } from '../ui/heading';
import { Loaded } from '../ui/loaded';
import { Problem } from '../ui/problem';
import { Time } from '../ui/time';
import { Views } from '../ui/views';
import { ListSettings } from './list-settings';
import { createList, listQuery, removeList, restoreList } from './queries';
import { Subscribers } from './subscribers';

const route = getRouteApi('/lists/$listId');
type View = keyof typeof words.tabs;
const VIEWS = Object.entries(words.tabs) as [View, string][];

/** A list: its subscribers, its name and preferences. A deleted one can be restored. The address names the view. */
export function ListScreen() {
  const { listId } = route.useParams();
  const query = useQuery({ ...listQuery(listId), refetchOnWindowFocus: false });
  return (
    <>
      <Heading title={listId} />
      <Loaded query={query}>{(list) => (list ? <Found key={listId} list={list} /> : <Missing key={listId} listId={listId} />)}</Loaded>
    </>
  );
}

function Found({ list }: { list: List }) {
  const { id, name, created, updated } = list;
  const { view } = route.useSearch();
  const current = VIEWS.find(([one]) => one === view)?.[0] ?? 'subscribers';
  const missing = useMissingScope('write:lists');
  const [isAsking, setIsAsking] = useState(false);
  const remove = useMutation({ mutationFn: () => removeList(id) });
  return (
    <>
      <ActionBar>
        <Action name={words.remove} missing={missing} onPress={() => setIsAsking(true)} />
        <Link to="/messages" search={{ list: id }} className="button">
          {words.facts.messages}
        </Link>
      </ActionBar>
      <Facts
        facts={[
          [words.facts.name, name],
          [words.facts.created, <Time at={Date.parse(created)} />],
          [words.facts.updated, <Time at={Date.parse(updated)} />],
        ]}
      />
      <Views name={words.views} field="view" views={VIEWS} current={current} />
      {current === 'settings' ? <ListSettings list={list} /> : <Subscribers listId={id} isEnding={remove.isPending || remove.isSuccess} />}
      {isAsking && (
        <ConfirmDialog
          title={words.removeTitle}
          confirm={words.confirmRemove}
          action={remove}
          onConfirm={() => remove.mutate()}
          onClose={() => setIsAsking(false)}
        >
          <p>{words.removeHint}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

function Missing({ listId }: { listId: string }) {
  const missing = useMissingScope('write:lists');
  const restore = useMutation({ mutationFn: () => restoreList(listId) });
  const create = useMutation({ mutationFn: () => createList(listId) });
  const error = restore.error ?? create.error;
  return (
    <>
      <Empty title={words.missing(listId)} hint={words.missingHint}>
        <ActionBar>
          <Action name={words.restore} missing={missing} isOff={restore.isPending} onPress={() => restore.mutate()} />
          <Action name={words.create} missing={missing} isOff={create.isPending} onPress={() => create.mutate()} />
          <Link to="/lists" className="button">
            {words.all}
          </Link>
        </ActionBar>
      </Empty>
      {error && <Problem error={error} title={texts.problems.failed} />}
    </>
  );
}
