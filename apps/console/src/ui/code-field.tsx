import { useEffect, useId, useRef } from 'react';
import { texts } from '../texts';
import styles from './code-field.module.css';
import formStyles from './form.module.css';

/** What is wrong with a text, and in which line, from 1. */
export interface CodeProblem {
  message: string;
  line?: number;
}

interface CodeFieldProps {
  label: string;
  value: string;
  problem?: CodeProblem;
  rows?: number;
  isReadOnly?: boolean;
  onChange: (text: string) => void;
}

const ROWS = 18;

/** A text with numbered lines. The line of a problem is marked, and selected unless the problem came up while writing. */
export function CodeField({ label, value, problem, rows = ROWS, isReadOnly, onChange }: CodeFieldProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const numbers = useRef<HTMLPreElement>(null);
  const id = useId();
  const { line, message } = problem ?? {};
  const lines = value.split('\n').length;
  useEffect(() => {
    if (line !== undefined && area.current && document.activeElement !== area.current) selectLine(area.current, line);
  }, [line, message]);
  return (
    <div className={styles.code}>
      <label htmlFor={id}>{label}</label>
      <div className={styles.text}>
        <pre ref={numbers} className={styles.numbers} aria-hidden="true">
          {line === undefined || line > lines ? (
            numbered(1, lines)
          ) : (
            <>
              {numbered(1, line - 1)}
              <mark>{line}</mark>
              {`\n${numbered(line + 1, lines)}`}
            </>
          )}
        </pre>
        <textarea
          ref={area}
          id={id}
          value={value}
          rows={rows}
          wrap="off"
          spellCheck={false}
          readOnly={isReadOnly}
          aria-invalid={problem !== undefined}
          aria-describedby={problem && `${id}-problem`}
          onChange={({ target }) => onChange(target.value)}
          onScroll={({ currentTarget }) => {
            if (numbers.current) numbers.current.scrollTop = currentTarget.scrollTop;
          }}
        />
      </div>
      {problem && (
        <p id={`${id}-problem`} role="alert" className={formStyles.problem}>
          {line !== undefined && <strong>{texts.line(line)}: </strong>}
          {message}
        </p>
      )}
    </div>
  );
}

function numbered(from: number, to: number) {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => `${from + index}\n`).join('');
}

function selectLine(area: HTMLTextAreaElement, line: number) {
  const before = area.value.split('\n').slice(0, line - 1);
  const start = before.reduce((sum, one) => sum + one.length + 1, 0);
  const end = area.value.indexOf('\n', start);
  area.focus();
  area.setSelectionRange(start, end === -1 ? area.value.length : end);
  area.scrollTop = (line - 1) * parseFloat(getComputedStyle(area).lineHeight) - area.clientHeight / 2;
}
