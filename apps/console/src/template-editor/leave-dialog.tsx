import { useBlocker } from '@tanstack/react-router';
import { templateEditor as words } from '../screen-texts/template-editor';
import { ConfirmDialog } from '../ui/confirm-dialog';

/** Asks before the page is left with unsaved changes; the browser asks where the tab is closed. */
export function LeaveDialog({ isDirty }: { isDirty: boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return (
    <ConfirmDialog
      title={words.leave}
      confirm={words.confirmLeave}
      action={{ isPending: false, error: null }}
      onConfirm={blocker.proceed}
      onClose={blocker.reset}
    >
      <p>{words.leaveHint}</p>
    </ConfirmDialog>
  );
}
