import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { deadLetters as words } from '../screen-texts/dead-letters';
import { ConfirmDialog } from '../ui/confirm-dialog';
import { type Treatment, type Treated, treatAll } from './queries';

/** Redrives or discards all dead letters, of a topic or of all, and shows how far it is. */
export function TreatAllDialog({ topic, treatment, onClose }: { topic?: string; treatment: Treatment; onClose: () => void }) {
  const [treated, setTreated] = useState<Treated>();
  const ending = useRef<AbortController>(undefined);
  // Who closes the dialog ends it after the present step.
  useEffect(() => () => ending.current?.abort(), []);
  const all = useMutation({
    mutationFn: () => treatAll(topic, treatment, setTreated, (ending.current = new AbortController()).signal),
  });
  return (
    <ConfirmDialog
      title={words.all[treatment]}
      confirm={words.confirmAll[treatment]}
      action={all}
      isDone={all.isSuccess}
      onConfirm={() => all.mutate()}
      onClose={onClose}
    >
      <p>{words.which(topic)}</p>
      <p>{words.hints[treatment]}</p>
      <p role="status">{treated && words.progress[treatment](treated.done, all.isSuccess)}</p>
      {treated && treated.left.length > 0 && (
        <ul aria-label={words.left}>
          {treated.left.map(({ id, error }) => (
            <li key={id}>{error}</li>
          ))}
        </ul>
      )}
    </ConfirmDialog>
  );
}
