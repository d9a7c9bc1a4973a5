import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMissingScope } from '../api/session';
import type { Webhook } from '../api/types';
import { duration } from '../format';
import { webhooks as words } from '../screen-texts/webhooks';
import { texts } from '../texts';
import { Action, ActionBar } from '../ui/action';
import styles from '../ui/action.module.css';
import { ConfirmDialog } from '../ui/confirm-dialog';
import { FormDialog } from '../ui/form-dialog';
import { Problem } from '../ui/problem';
import { ShownOnce } from '../ui/shown-once';
import { Badge } from '../ui/status';
import { changeWebhook, removalKey, removeWebhook, rotateSecret, setPaused, testWebhook } from './queries';
import { WebhookFields } from './webhook-fields';

type DialogName = 'change' | 'rotate' | 'remove';

/** Test, pause or resume, change, rotate the secret, remove. */
export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const { id, state } = webhook;
  const missing = useMissingScope('write:webhooks');
  const [dialog, setDialog] = useState<DialogName>();
  const test = useMutation({ mutationFn: () => testWebhook(id) });
  const pause = useMutation({ mutationFn: (isPaused: boolean) => setPaused(id, isPaused) });
  const close = () => setDialog(undefined);
  const isActive = state === 'active';
  const error = test.error ?? pause.error;
  const opening = (name: DialogName) => <Action name={words[name]} missing={missing} onPress={() => setDialog(name)} />;
  return (
    <>
      <ActionBar>
        <Action name={words.test} hint={words.testHint} missing={missing} isOff={test.isPending} onPress={() => test.mutate()} />
        <Action
          name={isActive ? words.pause : words.resume}
          hint={words.stateHints[isActive ? 'paused' : 'active']}
          missing={missing}
          isOff={pause.isPending}
          onPress={() => pause.mutate(isActive)}
        />
        {opening('change')}
        {opening('rotate')}
        {opening('remove')}
        <p role="status" className={styles.result}>
          {test.isPending && words.testing}
          {test.data && <TestResult result={test.data} />}
        </p>
      </ActionBar>
      {error && <Problem error={error} title={texts.problems.failed} />}
      {dialog === 'change' && <ChangeDialog webhook={webhook} onClose={close} />}
      {dialog === 'rotate' && <RotateDialog id={id} onClose={close} />}
      {dialog === 'remove' && <RemoveDialog webhook={webhook} onClose={close} />}
    </>
  );
}

function TestResult({ result: { ok, code, duration_ms: ms, error } }: { result: Awaited<ReturnType<typeof testWebhook>> }) {
  return (
    <>
      <Badge tone={ok ? 'good' : 'bad'}>{ok ? words.testOk : words.testFailed}</Badge> {words.testResult(code, duration(ms))} {error}
    </>
  );
}

function ChangeDialog({ webhook: { id, url, description }, onClose }: { webhook: Webhook; onClose: () => void }) {
  const change = useMutation({
    mutationFn: (changed: { url: string; description?: string }) => changeWebhook(id, changed),
    onSuccess: onClose,
  });
  return (
    <FormDialog
      title={words.changeTitle}
      submit={words.confirmChange}
      action={change}
      onSubmit={(text) => change.mutate({ url: text('url') ?? '', description: text('description') })}
      onClose={onClose}
    >
      <WebhookFields url={url} description={description} />
    </FormDialog>
  );
}

function RotateDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const rotate = useMutation({ mutationFn: () => rotateSecret(id) });
  return (
    <FormDialog
      title={words.rotate}
      submit={words.confirmRotate}
      action={rotate}
      result={rotate.data && <ShownOnce name={words.secret} hint={words.shownOnce} secret={rotate.data.secret} />}
      onSubmit={() => rotate.mutate()}
      onClose={onClose}
    >
      <p>{words.rotateHint}</p>
    </FormDialog>
  );
}

function RemoveDialog({ webhook: { id, url }, onClose }: { webhook: Webhook; onClose: () => void }) {
  const navigate = useNavigate();
  // Leaves the page before what it shows is read again: the answers would be errors.
  const remove = useMutation({
    mutationKey: removalKey(id),
    mutationFn: async () => {
      await removeWebhook(id);
      await navigate({ to: '/webhooks' });
    },
  });
  return (
    <ConfirmDialog
      title={words.removeTitle}
      confirm={words.confirmRemove}
      action={remove}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <p>
        <strong>{url}</strong>
      </p>
      <p>{words.removeHint}</p>
    </ConfirmDialog>
  );
}
