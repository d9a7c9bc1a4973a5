import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How far the consumers of a service are in topics of Kafka. */
export class CreateConsumerPositions1796083200000 implements MigrationInterface {
  readonly name = 'CreateConsumerPositions1796083200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table if not exists consumer_positions (
        topic text collate "C" not null,
        consumer_group text collate "C" not null,
        partition int not null,
        next_offset bigint,
        seen_at bigint,
        epoch bigint not null,
        server_started_at timestamptz not null,
        stored_at timestamptz not null default now(),
        primary key (topic, consumer_group, partition)
      ) with (fillfactor = 50)`);
    await runner.query(`comment on column consumer_positions.next_offset is 'every record below it has had its effect in this database'`);
    await runner.query(`comment on column consumer_positions.seen_at is 'latest time of these records in the log, ms since the epoch'`);
    await runner.query(`comment on column consumer_positions.epoch is 'grows with each assignment of the partition to a member'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table if exists consumer_positions');
  }
}
