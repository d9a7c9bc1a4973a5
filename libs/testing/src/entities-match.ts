import type { DataSource, EntityMetadata, QueryRunner, TableColumn } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata';

/**
 * Differences between entities and the migrated schema in columns, types, nullability, defaults and primary keys; empty if they agree.
 * Indexes and checks exist only in migrations, computed properties only in entities. Tables without an entity are skipped.
 */
export async function entityDifferences(dataSource: DataSource): Promise<string[]> {
  const runner = dataSource.createQueryRunner();
  try {
    const differences = [];
    for (const metadata of dataSource.entityMetadatas) differences.push(...(await differencesOf(metadata, runner)));
    return differences;
  } finally {
    await runner.release();
  }
}

async function differencesOf({ tablePath, columns: properties }: EntityMetadata, runner: QueryRunner): Promise<string[]> {
  const columns = properties.filter(({ isVirtualProperty }) => !isVirtualProperty);
  const table = await runner.getTable(tablePath);
  if (!table) return [`${tablePath}: no such table`];
  const names = (some: readonly (ColumnMetadata | TableColumn)[]): string[] =>
    some.map((column) => ('databaseName' in column ? column.databaseName : column.name));
  const [inEntity, inTable] = [names(columns), names(table.columns)];
  return [
    ...inEntity.filter((name) => !inTable.includes(name)).map((name) => `${tablePath}.${name}: not in the table`),
    ...inTable.filter((name) => !inEntity.includes(name)).map((name) => `${tablePath}.${name}: not in the entity`),
    ...names(runner.dataSource.driver.findChangedColumns(table.columns, columns)).map((name) => `${tablePath}.${name}: declared otherwise`),
  ];
}
