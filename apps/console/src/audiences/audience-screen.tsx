import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMissingScope } from '../api/session';
import type { Audience } from '../api/types';
import { audiences as words } from '../screen-texts/audiences';
import { Action, ActionBar } from '../ui/action';
import { ConfirmDialog } from '../ui/confirm-dialog';
import { Facts } from '../ui/facts';
import { Heading } from '../ui/heading';
import { Loaded } from '../ui/loaded';
import { Time } from '../ui/time';
import { Views } from '../ui/views';
import { FilterEditor } from './filter-editor';
import { Members } from './members';
import { audienceQuery, removeAudience } from './queries';

const route = getRouteApi('/audiences/$audienceId');
type View = keyof typeof words.tabs;
const VIEWS = Object.entries(words.tabs) as [View, string][];

/** An audience: its members, and the filter that they match. The address names the view. */
export function AudienceScreen() {
  const { audienceId } = route.useParams();
  return (
    <>
      <Heading title={audienceId} />
      <AudiencePage key={audienceId} audienceId={audienceId} />
    </>
  );
}

function AudiencePage({ audienceId }: { audienceId: string }) {
  const navigate = useNavigate();
  const remove = useMutation({ mutationFn: () => removeAudience(audienceId), onSuccess: () => navigate({ to: '/audiences' }) });
  // Not read again once it is being deleted: the answer would be an error.
  const isEnding = remove.isPending || remove.isSuccess;
  const query = useQuery({ ...audienceQuery(audienceId), enabled: !isEnding, refetchOnWindowFocus: false });
  const missing = useMissingScope('write:audiences');
  const [isAsking, setIsAsking] = useState(false);
  return (
    <Loaded query={query}>
      {(audience) => (
        <>
          <ActionBar>
            <Action name={words.remove} missing={missing} onPress={() => setIsAsking(true)} />
          </ActionBar>
          <Found audience={audience} isEnding={isEnding} />
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
      )}
    </Loaded>
  );
}

function Found({ audience, isEnding }: { audience: Audience; isEnding: boolean }) {
  const { view } = route.useSearch();
  const { name, description, created_at: created, updated_at: updated } = audience;
  const current = VIEWS.find(([one]) => one === view)?.[0] ?? 'members';
  return (
    <>
      <Facts
        facts={[
          [words.facts.name, name],
          [words.facts.description, description],
          [words.facts.created, <Time at={Date.parse(created)} />],
          [words.facts.updated, <Time at={Date.parse(updated)} />],
        ]}
      />
      <Views name={words.views} field="view" views={VIEWS} current={current} />
      {current === 'filter' ? <FilterEditor audience={audience} /> : <Members audience={audience} isEnding={isEnding} />}
    </>
  );
}
