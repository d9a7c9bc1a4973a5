/** PostgreSQL truncates longer identifiers, so two statement names could become equal. */
const STATEMENT_NAME_BYTES_MAX = 63;

/** A prepared statement: each connection parses it once, under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/**
 * Defines a prepared statement. The name is unique within a service; the driver refuses a second text under it.
 * Name every column (`select *` breaks on connections that prepared it before a migration).
 */
export function statement(name: string, text: string): Statement {
  if (name.length === 0 || Buffer.byteLength(name) > STATEMENT_NAME_BYTES_MAX) {
    throw new Error(`A statement's name has 1 to ${STATEMENT_NAME_BYTES_MAX} bytes, "${name}" has ${Buffer.byteLength(name)}`);
  }
  return Object.freeze({ name, text });
}
