import { useState } from 'react';
import { texts } from '../texts';

/** Copies a text; absent on plain HTTP, where browsers have no clipboard for pages. */
export function CopyButton({ text }: { text: string }) {
  const [isCopied, setIsCopied] = useState(false);
  // Absent there, whatever the types say.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (!clipboard) return null;
  return (
    <button type="button" onClick={() => void clipboard.writeText(text).then(() => setIsCopied(true))}>
      {isCopied ? texts.copied : texts.copy}
    </button>
  );
}
