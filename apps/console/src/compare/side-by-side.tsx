import { compare as words } from '../screen-texts/compare';
import { type AlignedRow, alignLines } from './aligned';
import styles from './compare.module.css';

/** Two texts side by side; the rows that differ are marked. */
export function SideBySide({ name, left, right }: { name: string; left: string; right: string }) {
  const rows = alignLines(left, right);
  const count = rows.filter(({ differs }) => differs).length;
  return (
    <details open={count > 0}>
      <summary>{count === 0 ? words.same : words.differs(count)}</summary>
      <div className={styles.scroll} tabIndex={0} role="group" aria-label={name}>
        <table className={styles.sides} aria-label={name}>
          <thead>
            <tr>
              <th scope="col">{words.left}</th>
              <th scope="col">{words.right}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <Row key={index} row={row} />
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function Row({ row: { left, right, differs } }: { row: AlignedRow }) {
  if (!differs)
    return (
      <tr>
        <td>{left}</td>
        <td>{right}</td>
      </tr>
    );
  return (
    <tr data-differs>
      <td>{left !== undefined && <del>{left}</del>}</td>
      <td>{right !== undefined && <ins>{right}</ins>}</td>
    </tr>
  );
}
