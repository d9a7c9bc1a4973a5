import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMissingScope } from '../api/session';
import type { Suppression } from '../api/types';
import { suppressions as words } from '../screen-texts/suppressions';
import { Action, ActionBar } from '../ui/action';
import actionStyles from '../ui/action.module.css';
import { ConfirmDialog } from '../ui/confirm-dialog';
import { Empty } from '../ui/empty';
import { Facts } from '../ui/facts';
import { Heading } from '../ui/heading';
import { Loaded } from '../ui/loaded';
import { Time } from '../ui/time';
import { removeSuppression, suppressionQuery } from './queries';
import { isStrong, ReasonBadge, sourceText } from './reason-badge';

const route = getRouteApi('/suppressions/$channel/$address');
const { columns } = words;

/** Why nothing is sent to an address, since when, and by which message. */
export function SuppressionScreen() {
  const { channel, address } = route.useParams();
  const query = useQuery(suppressionQuery({ channel, address }));
  const [isAsking, setIsAsking] = useState(false);
  const missing = useMissingScope('write:suppressions');
  const remove = useMutation({
    mutationFn: ({ channel: on }: Suppression) => removeSuppression({ channel: on, address }),
    onSuccess: () => setIsAsking(false),
  });
  return (
    <>
      <Heading title={address} />
      <ActionBar>
        <Action
          name={words.remove}
          missing={missing}
          isOff={!query.data}
          onPress={() => {
            remove.reset();
            setIsAsking(true);
          }}
        />
        <Link to="/messages" search={{ query: address }} className="button">
          {words.messages}
        </Link>
        <p role="status" className={actionStyles.done}>
          {remove.isSuccess && words.removed}
        </p>
      </ActionBar>
      <Loaded query={query}>
        {(suppression) =>
          suppression ? (
            <Details suppression={suppression} />
          ) : (
            <Empty title={words.noneFound} hint={words.noneFoundHint}>
              <Link to="/suppressions" className="button">
                {words.all}
              </Link>
            </Empty>
          )
        }
      </Loaded>
      {isAsking && query.data && (
        <ConfirmDialog
          title={words.removeTitle}
          confirm={words.confirmRemove}
          action={remove}
          onConfirm={() => remove.mutate(query.data!)}
          onClose={() => setIsAsking(false)}
        >
          <p>
            <strong>{address}</strong>
          </p>
          <p>{words.removeHint}</p>
          {isStrong(query.data) && <p>{words.removeStrong}</p>}
        </ConfirmDialog>
      )}
    </>
  );
}

function Details({ suppression }: { suppression: Suppression }) {
  const { channel, reason, created, message_id: id } = suppression;
  return (
    <>
      <p>{words.reasonHints[reason]}</p>
      <Facts
        facts={[
          [columns.reason, <ReasonBadge suppression={suppression} />],
          [columns.channel, channel],
          [columns.since, <Time at={Date.parse(created)} />],
          [columns.source, sourceText(suppression)],
          [
            columns.message,
            id && (
              <Link to="/messages/$messageId" params={{ messageId: id }}>
                {id}
              </Link>
            ),
          ],
        ]}
      />
    </>
  );
}
