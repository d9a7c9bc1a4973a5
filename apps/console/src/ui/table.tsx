import type { ReactNode } from 'react';
import styles from './table.module.css';

/** A column: its header, and what a row has there. */
export interface Column<Row> {
  header: string;
  cell: (row: Row) => ReactNode;
  /** Figures, which stand right. */
  isNumber?: boolean;
}

interface TableProps<Row> {
  /** The accessible name. */
  name: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string | number;
}

/**
 * The table of every screen. `j` and `k` move among the first links of its rows. On a narrow page each row is a block, and each cell
 * has its header beside it; the roles are written out because such a layout removes those of the elements.
 */
export function Table<Row>({ name, columns, rows, keyOf }: TableProps<Row>) {
  return (
    <table className={styles.table} role="table" aria-label={name}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ header, isNumber }) => (
            <th key={header} role="columnheader" scope="col" className={isNumber ? styles.number : undefined}>
              {header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={keyOf(row)} role="row" data-row>
            {columns.map(({ header, cell, isNumber }) => (
              <td key={header} role="cell" data-header={header} className={isNumber ? styles.number : undefined}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
