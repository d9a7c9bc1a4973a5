import { useMutation } from '@tanstack/react-query';
import { webhooks as words } from '../screen-texts/webhooks';
import { Choice } from '../ui/field';
import { FormDialog } from '../ui/form-dialog';
import { retryFailed } from './queries';

const DEFAULT_HOURS = '24';

/** Posts the failed events of a period to a webhook again. */
export function RetryFailedDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const retry = useMutation({ mutationFn: (hours: number) => retryFailed(id, hours) });
  return (
    <FormDialog
      title={words.retryFailed}
      submit={words.confirmRetry}
      action={retry}
      result={retry.data && <p role="status">{words.retriedMany(retry.data.deliveries, typeof retry.data.next_from === 'string')}</p>}
      onSubmit={(text) => retry.mutate(Number(text('hours') ?? DEFAULT_HOURS))}
      onClose={onClose}
    >
      <p>{words.retryFailedHint}</p>
      <Choice label={words.since} name="hours" options={Object.entries(words.periods)} value={DEFAULT_HOURS} />
    </FormDialog>
  );
}
