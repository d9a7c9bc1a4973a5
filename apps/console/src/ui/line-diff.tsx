import { diffLines } from '../line-diff';
import { texts } from '../texts';
import styles from './line-diff.module.css';

/** Equal lines that are shown around a change. */
const CONTEXT_LINES = 3;
const SIGNS = { same: ' ', removed: '-', added: '+' } as const;

/** Two texts line by line: what is in one of them alone, with the lines around it. */
export function LineDiff({ name, before, after }: { name: string; before: string; after: string }) {
  if (before === after) return <p className="quiet">{texts.noDifferences}</p>;
  const lines = diffLines(before, after);
  const isNear = (index: number) =>
    lines.slice(Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1).some(({ kind }) => kind !== 'same');
  return (
    <pre className={styles.diff} tabIndex={0} role="group" aria-label={name}>
      {lines.map(({ kind, text }, index) => {
        if (!isNear(index)) return isNear(index - 1) || index === 0 ? <span key={index}>⋯</span> : null;
        return <Line key={index} kind={kind} text={`${SIGNS[kind]} ${text}`} />;
      })}
    </pre>
  );
}

function Line({ kind, text }: { kind: keyof typeof SIGNS; text: string }) {
  if (kind === 'removed') return <del>{text}</del>;
  return kind === 'added' ? <ins>{text}</ins> : <span>{text}</span>;
}
