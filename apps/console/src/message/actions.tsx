import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { answerOf, api } from '../api/client';
import { useMissingScope } from '../api/session';
import type { Message } from '../api/types';
import { compare } from '../screen-texts/compare';
import { message as words } from '../screen-texts/message';
import { texts } from '../texts';
import { Action, ActionBar } from '../ui/action';
import styles from '../ui/action.module.css';
import { ConfirmDialog } from '../ui/confirm-dialog';
import { Problem } from '../ui/problem';

/** Statuses in which a message can be canceled, unless a provider was called meanwhile. */
const CANCELABLE = new Set<string>(['ENQUEUED', 'DELAYED', 'ROUTED']);

/** Resend, cancel, archive, compare, what if. What the key may not do is disabled, and the scope named. */
export function Actions({ message }: { message: Message }) {
  const path = { message_id: message.id };
  const requestId = message.listMessageId ?? message.id;
  const missing = useMissingScope('write:messages');
  const missingArchive = useMissingScope('write:requests');
  const navigate = useNavigate();
  const [isAsking, setIsAsking] = useState(false);
  const cancel = useMutation({ mutationFn: () => answerOf(api.POST('/messages/{message_id}/cancel', { params: { path } })) });
  const archive = useMutation({
    mutationFn: () => answerOf(api.PUT('/requests/{request_id}/archive', { params: { path: { request_id: requestId } } })),
  });
  const done = (archive.isSuccess && words.archived) || (cancel.isSuccess && words.canceled);
  const error = cancel.error ?? archive.error;
  return (
    <>
      <ActionBar>
        <Action name={words.resend} missing={missing} onPress={() => setIsAsking(true)} />
        <Action
          name={words.cancel}
          missing={missing}
          isOff={!CANCELABLE.has(message.status) || cancel.isPending}
          onPress={() => cancel.mutate()}
        />
        <Action
          name={words.archive}
          missing={missingArchive}
          hint={words.archiveHint}
          isOff={archive.isPending}
          onPress={() => archive.mutate()}
        />
        <Action
          name={compare.open}
          onPress={() => void navigate({ to: '/messages/$messageId/compare', params: { messageId: message.id } })}
        />
        <Link to="/what-if" search={{ message: message.id }} className="button">
          {texts.screens.whatIf}
        </Link>
        <p role="status" className={styles.done}>
          {done}
        </p>
      </ActionBar>
      {error && <Problem error={error} title={texts.problems.failed} />}
      {isAsking && <ResendDialog message={message} onClose={() => setIsAsking(false)} />}
    </>
  );
}

function ResendDialog({ message: { id, recipient }, onClose }: { message: Message; onClose: () => void }) {
  const navigate = useNavigate();
  const resend = useMutation({
    mutationFn: () => answerOf(api.POST('/messages/{message_id}/resend', { params: { path: { message_id: id } } })),
    onSuccess: ({ messageId }) => {
      onClose();
      void navigate({ to: '/messages/$messageId', params: { messageId } });
    },
  });
  return (
    <ConfirmDialog
      title={words.resendTitle}
      confirm={words.confirmResend}
      action={resend}
      onConfirm={() => resend.mutate()}
      onClose={onClose}
    >
      <p>
        {words.facts.recipient}: <strong>{recipient}</strong>
      </p>
      <p>{words.resendHint}</p>
    </ConfirmDialog>
  );
}
