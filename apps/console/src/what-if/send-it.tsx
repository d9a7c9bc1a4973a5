import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMissingScope } from '../api/session';
import type { DryRun } from '../api/types';
import { whatIf as words } from '../screen-texts/what-if';
import { Action } from '../ui/action';
import { ConfirmDialog } from '../ui/confirm-dialog';
import { type Planned, sendPlanned } from './queries';

/** Sends what was planned, after a confirmation. @param result what would happen; absent until it is known */
export function SendIt({ planned, result }: { planned: Planned; result: DryRun | undefined }) {
  const [isAsking, setIsAsking] = useState(false);
  const navigate = useNavigate();
  const isOne = result?.results.length === 1 && !result.more;
  const send = useMutation({
    mutationFn: () => sendPlanned(planned),
    onSuccess: (id) =>
      isOne
        ? void navigate({ to: '/messages/$messageId', params: { messageId: id } })
        : void navigate({ to: '/messages', search: { traceId: id } }),
  });
  const missing = useMissingScope('body' in planned ? 'write:send' : 'write:messages');
  return (
    <>
      <Action
        name={words.send}
        missing={missing}
        hint={result ? undefined : words.sendFirst}
        isOff={!result}
        onPress={() => setIsAsking(true)}
      />
      {isAsking && result && (
        <ConfirmDialog
          title={words.sendTitle}
          confirm={words.confirmSend}
          action={send}
          onConfirm={() => send.mutate()}
          onClose={() => setIsAsking(false)}
        >
          <p>{words.sendHint(result.results.length, result.more)}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
