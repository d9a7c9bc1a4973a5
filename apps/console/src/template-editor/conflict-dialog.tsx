import { useQuery } from '@tanstack/react-query';
import { templateEditor as words } from '../screen-texts/template-editor';
import { draftQuery } from '../templates/queries';
import { textOfContent } from '../templates/text-of-content';
import { ConfirmDialog } from '../ui/confirm-dialog';
import { LineDiff } from '../ui/line-diff';
import { Loaded } from '../ui/loaded';

interface ConflictDialogProps {
  templateId: string;
  /** The text that was not stored. */
  mine: string;
  save: { isPending: boolean };
  /** Stores it over the version with this etag. */
  onOverwrite: (etag: string) => void;
  onDiscard: () => void;
  onClose: () => void;
}

/** Both versions of a draft that another writer has changed meanwhile, and which of them shall remain. */
export function ConflictDialog({ templateId, mine, save, onOverwrite, onDiscard, onClose }: ConflictDialogProps) {
  const query = useQuery({ ...draftQuery(templateId), queryKey: ['template-now', templateId] });
  return (
    <ConfirmDialog
      title={words.conflict}
      confirm={words.saveMine}
      action={{ isPending: save.isPending || !query.data, error: null }}
      onConfirm={() => query.data && onOverwrite(query.data.etag)}
      onClose={onClose}
    >
      <p>{words.conflictHint}</p>
      <Loaded query={query}>{({ content }) => <LineDiff name={words.conflict} before={textOfContent(content)} after={mine} />}</Loaded>
      <p>
        <button type="button" onClick={onDiscard}>
          {words.takeTheirs}
        </button>
      </p>
    </ConfirmDialog>
  );
}
