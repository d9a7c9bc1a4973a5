import { diffLines } from '../line-diff';

/** A row of two texts side by side; a text that has no line there is undefined. */
export interface AlignedRow {
  left?: string;
  right?: string;
  differs: boolean;
}

/** The lines of two texts beside each other: equal ones in one row, and what was replaced beside what replaces it. */
export function alignLines(left: string, right: string): AlignedRow[] {
  const rows: AlignedRow[] = [];
  let [removed, added]: [string[], string[]] = [[], []];
  const flush = () => {
    for (let index = 0; index < Math.max(removed.length, added.length); index++)
      rows.push({ left: removed[index], right: added[index], differs: true });
    [removed, added] = [[], []];
  };
  for (const { kind, text } of diffLines(left, right)) {
    if (kind === 'removed') removed.push(text);
    else if (kind === 'added') added.push(text);
    else {
      flush();
      rows.push({ left: text, right: text, differs: false });
    }
  }
  flush();
  return rows;
}
