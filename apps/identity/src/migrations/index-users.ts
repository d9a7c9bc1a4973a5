import { createIndexConcurrently } from '@tidings/persistence/concurrent-index';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Users are found by address, and listed by their last change. Profiles may hold texts that are too long for an index, so only as much of
 * them is indexed as an address has.
 */
export class IndexUsers1796900000000 implements MigrationInterface {
  readonly name = 'IndexUsers1796900000000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const table = 'profiles';
    await createIndexConcurrently(runner, { name: 'profiles_by_change', table, definition: '(workspace_id, updated_at, user_id)' });
    await createIndexConcurrently(runner, {
      name: 'profiles_by_email',
      table,
      definition: `(workspace_id, lower(left(profile ->> 'email', 320) collate "C"), user_id) where profile ->> 'email' is not null`,
    });
    await createIndexConcurrently(runner, {
      name: 'profiles_by_phone',
      table,
      definition: `(workspace_id, left(profile ->> 'phone_number', 64), user_id) where profile ->> 'phone_number' is not null`,
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of ['change', 'email', 'phone']) await runner.query(`drop index if exists profiles_by_${name}`);
  }
}
