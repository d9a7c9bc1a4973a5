import { useState } from 'react';
import { lineOfError } from '../json-line';
import { parseObject } from '../json-object';
import { CodeField } from './code-field';
import { useSettled } from './settled';

interface JsonFieldProps {
  label: string;
  /** What is written at first. */
  initial: object;
  /** Why the interface refused it: shown at the field that it names. */
  error?: Error | null;
  rows?: number;
  isReadOnly?: boolean;
  /** Gets `undefined` for a text that is no object: there is nothing to store then. */
  onChange: (value: Record<string, unknown> | undefined) => void;
}

/** An object as JSON, with what is wrong with it at its line. */
export function JsonField({ label, initial, error, rows, isReadOnly, onChange }: JsonFieldProps) {
  const [text, setText] = useState(() => JSON.stringify(initial, null, 2));
  const parsed = parseObject(text);
  // Not of every key: most texts are none while they are written.
  const syntax = useSettled('problem' in parsed ? parsed.problem : undefined);
  const message = syntax ?? error?.message;
  const change = (changed: string) => {
    setText(changed);
    const next = parseObject(changed);
    onChange('value' in next ? next.value : undefined);
  };
  return (
    <CodeField
      label={label}
      value={text}
      problem={message === undefined ? undefined : { message, line: lineOfError(text, message) }}
      rows={rows}
      isReadOnly={isReadOnly}
      onChange={change}
    />
  );
}
