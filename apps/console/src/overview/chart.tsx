import { lazy, Suspense } from 'react';
import type { SeriesPoint } from '../api/types';
import { overview as words } from '../screen-texts/overview';
import { texts } from '../texts';
import { type Column, Table } from '../ui/table';
import { Time } from '../ui/time';
import styles from './overview.module.css';

/** A line of a plot; `colour` is a variable of styles.css. Lines differ by their dashes as well. */
export interface Line {
  name: string;
  colour: string;
  dash?: number[];
  /** `null` where there is no value. */
  valueOf: (point: SeriesPoint) => number | null;
}

interface ChartProps {
  name: string;
  points: readonly SeriesPoint[];
  lines: readonly Line[];
  format: (value: number) => string;
}

const Plot = lazy(async () => ({ default: (await import('./plot')).Plot }));

/** A plot, and the same figures as a table. */
export function Chart({ name, points, lines, format }: ChartProps) {
  const columns: Column<SeriesPoint>[] = [
    { header: words.time, cell: ({ at }) => <Time at={at} /> },
    ...lines.map(({ name: header, valueOf }): Column<SeriesPoint> => ({ header, cell: (point) => shown(valueOf(point)), isNumber: true })),
  ];
  const shown = (value: number | null) => (value === null ? '' : format(value));
  const filled = points.filter((point) => lines.some(({ valueOf }) => valueOf(point)));
  return (
    <>
      <ul className={styles.legend}>
        {lines.map(({ name: line, colour, dash }) => (
          <li key={line}>
            <svg width="28" height="8" aria-hidden="true">
              <line x1="0" x2="28" y1="4" y2="4" stroke={`var(${colour})`} strokeWidth="2.5" strokeDasharray={dash?.join(' ')} />
            </svg>
            {line}
          </li>
        ))}
      </ul>
      <Suspense fallback={<div className={styles.plot} />}>
        <Plot name={name} points={points} lines={lines} format={format} />
      </Suspense>
      <details>
        <summary>{texts.asTable}</summary>
        <div className={styles.figuresTable} tabIndex={0} role="group" aria-label={name}>
          <Table name={name} columns={columns} rows={filled.toReversed()} keyOf={({ at }) => at} />
        </div>
      </details>
    </>
  );
}
