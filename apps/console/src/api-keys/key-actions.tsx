import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useSession } from '../api/session';
import type { ApiKey } from '../api/types';
import { apiKeys as words } from '../screen-texts/api-keys';
import { Action, ActionBar } from '../ui/action';
import { ConfirmDialog } from '../ui/confirm-dialog';
import { Choice } from '../ui/field';
import { FormDialog } from '../ui/form-dialog';
import { ShownOnce } from '../ui/shown-once';
import { useKeyAccess } from './key-access';
import { endOf, titleOf } from './key-table';
import type { Keys } from './queries';

const DEFAULT_OVERLAP = '24 hours';

interface KeyActionsProps {
  keys: Keys;
  apiKey: ApiKey;
  /** A link to the page of the key that replaces it. */
  link: (keyId: string) => ReactNode;
  more?: ReactNode;
}

/** Rotate and revoke. */
export function KeyActions({ keys, apiKey, link, more }: KeyActionsProps) {
  const [dialog, setDialog] = useState<'rotate' | 'revoke'>();
  const { missing, lackingOf } = useKeyAccess();
  const { status, scopes } = apiKey;
  const close = () => setDialog(undefined);
  return (
    <>
      <ActionBar>
        <Action name={words.rotate} missing={lackingOf(scopes)} isOff={status !== 'active'} onPress={() => setDialog('rotate')} />
        <Action name={words.revoke} missing={missing} isOff={status === 'revoked'} onPress={() => setDialog('revoke')} />
        {more}
      </ActionBar>
      {dialog === 'rotate' && <RotateDialog keys={keys} apiKey={apiKey} link={link} onClose={close} />}
      {dialog === 'revoke' && <RevokeDialog keys={keys} apiKey={apiKey} onClose={close} />}
    </>
  );
}

function Named({ apiKey }: { apiKey: ApiKey }) {
  return (
    <p>
      <strong>{titleOf(apiKey)}</strong> <code>{endOf(apiKey)}</code>
    </p>
  );
}

function RotateDialog({ keys, apiKey, link, onClose }: KeyActionsProps & { onClose: () => void }) {
  const rotate = useMutation({ mutationFn: (overlap: string) => keys.rotate(apiKey.key_id, overlap) });
  return (
    <FormDialog
      title={words.rotateTitle}
      submit={words.confirmRotate}
      action={rotate}
      result={
        rotate.data && (
          <ShownOnce name={words.key} hint={words.shownOnce} secret={rotate.data.key}>
            <p>{link(rotate.data.key_id)}</p>
          </ShownOnce>
        )
      }
      onSubmit={(text) => rotate.mutate(text('overlap') ?? DEFAULT_OVERLAP)}
      onClose={onClose}
    >
      <Named apiKey={apiKey} />
      <p>{words.rotateHint}</p>
      <Choice label={words.fields.overlap} name="overlap" options={Object.entries(words.overlaps)} />
    </FormDialog>
  );
}

function RevokeDialog({ keys, apiKey, onClose }: Pick<KeyActionsProps, 'keys' | 'apiKey'> & { onClose: () => void }) {
  const revoke = useMutation({ mutationFn: () => keys.revoke(apiKey.key_id), onSuccess: onClose });
  const { key: own, role } = useSession();
  const isOwn = role === null && own.end === (apiKey.hint ?? null) && own.name === (apiKey.name ?? null);
  return (
    <ConfirmDialog
      title={words.revokeTitle}
      confirm={words.confirmRevoke}
      action={revoke}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    >
      <Named apiKey={apiKey} />
      <p>{words.revokeHint}</p>
      {isOwn && (
        <p>
          <strong>{words.revokeOwn}</strong>
        </p>
      )}
    </ConfirmDialog>
  );
}
