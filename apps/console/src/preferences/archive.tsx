import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useMissingScope } from '../api/session';
import { preferences as words } from '../screen-texts/preferences';
import { Action, ActionBar } from '../ui/action';
import { ConfirmDialog } from '../ui/confirm-dialog';

interface ArchiveProps {
  title: string;
  hint: string;
  /** Why it cannot be archived now. */
  obstacle?: string;
  /** Archives it and leaves the page, which has nothing to show then. */
  onConfirm: () => Promise<void>;
}

/** Archives a section or topic after a confirmation. */
export function Archive({ title, hint, obstacle, onConfirm }: ArchiveProps) {
  const [isAsking, setIsAsking] = useState(false);
  const missing = useMissingScope('write:preference-sections');
  const archive = useMutation({ mutationFn: onConfirm });
  return (
    <ActionBar>
      <Action name={words.archive} hint={obstacle} missing={missing} isOff={obstacle !== undefined} onPress={() => setIsAsking(true)} />
      {isAsking && (
        <ConfirmDialog
          title={title}
          confirm={words.confirmArchive}
          action={archive}
          onConfirm={() => archive.mutate()}
          onClose={() => setIsAsking(false)}
        >
          <p>{hint}</p>
        </ConfirmDialog>
      )}
    </ActionBar>
  );
}
