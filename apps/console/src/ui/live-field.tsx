import { useEffect, useRef, useState } from 'react';
import { SETTLED_MS } from './settled';
import { TextField } from './text-field';

interface LiveFieldProps {
  label: string;
  value: string;
  /** What is wrong with the text. */
  problem?: string;
  /** Rows of a longer text; absent: one line. */
  rows?: number;
  suggestions?: readonly string[];
  onSettle: (text: string) => void;
}

/** A text that counts when its writer pauses. */
export function LiveField({ value, onSettle, ...field }: LiveFieldProps) {
  const [text, setText] = useState(value);
  const timer = useRef<number>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  // The address may change otherwise, as by the browser's way back; not while its writer writes.
  useEffect(() => {
    if (timer.current === undefined) setText(value);
  }, [value]);
  const change = (changed: string) => {
    setText(changed);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => {
      timer.current = undefined;
      onSettle(changed);
    }, SETTLED_MS);
  };
  return <TextField {...field} value={text} onChange={change} />;
}
