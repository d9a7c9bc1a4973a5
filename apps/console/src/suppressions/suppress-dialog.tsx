import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Suppression } from '../api/types';
import { suppressions as words } from '../screen-texts/suppressions';
import { Choice, Field } from '../ui/field';
import { FormDialog } from '../ui/form-dialog';
import { suppress } from './queries';

/** Suppresses an address, and leads to it. @param address what was searched */
export function SuppressDialog({ address, onClose }: { address?: string; onClose: () => void }) {
  const navigate = useNavigate();
  const action = useMutation({
    mutationFn: suppress,
    onSuccess: ({ channel }, given) => {
      onClose();
      void navigate({ to: '/suppressions/$channel/$address', params: { channel, address: given.address } });
    },
  });
  const submit = (text: (name: string) => string | undefined) =>
    action.mutate({
      channel: text('channel') as Suppression['channel'],
      address: text('address') ?? '',
      reason: text('reason') as Suppression['reason'],
    });
  return (
    <FormDialog title={words.add} submit={words.confirmAdd} action={action} onSubmit={submit} onClose={onClose}>
      <p>{words.addHint}</p>
      <Choice label={words.channel} name="channel" options={Object.entries(words.channels)} />
      <Field label={words.columns.address} hint={words.addressHint}>
        {(hint) => <input name="address" required defaultValue={address} autoComplete="off" aria-describedby={hint} />}
      </Field>
      <Choice label={words.reason} name="reason" options={Object.entries(words.reasons)} />
    </FormDialog>
  );
}
