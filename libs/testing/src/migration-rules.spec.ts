import { problemsOfMigration } from './migration-rules';

describe('the rules of migrations', () => {
  it.each([
    ['create index i on messages (id)', 'builds an index on messages without CONCURRENTLY'],
    ['CREATE UNIQUE INDEX IF NOT EXISTS i ON identity.messages (id)', 'builds an index on messages without CONCURRENTLY'],
    ['alter table messages add column a text not null', 'adds a NOT NULL column without a default (messages)'],
    ['alter table messages add a text default 1, add column b text not null', 'adds a NOT NULL column without a default (messages)'],
    ['alter table messages add column at timestamptz default clock_timestamp()', 'adds a column whose values rewrite the table (messages)'],
    ['alter table messages add column n bigint generated always as identity', 'adds a column whose values rewrite the table (messages)'],
    ['alter table messages alter column a type bigint', 'changes the type of a column (messages)'],
    ['alter table messages alter a set not null', 'reads the table for SET NOT NULL (messages)'],
    ['alter table messages add primary key (id)', 'builds the index of a constraint (messages)'],
    ['alter table messages add constraint c check (a > 0)', 'validates a constraint (messages)'],
    ['alter table messages add column a uuid references other', 'validates a constraint of a new column (messages)'],
    ['alter table messages drop column a', 'removes what the version before uses (messages)'],
    ['alter table messages rename to other', 'removes what the version before uses (messages)'],
    ['drop table messages', 'removes what the version before uses'],
    ["update messages set a = 'x;y' where b is null", 'changes rows of messages in one transaction'],
    ['do $$ begin alter table messages alter column a set not null; end $$', 'reads the table for SET NOT NULL (messages)'],
    ['lock table messages', 'locks a table'],
    ["set local lock_timeout = '1h'", 'changes how long it waits for locks'],
  ])('refuse %s', (statement, problem) => {
    expect(problemsOfMigration([statement])).toEqual([problem]);
  });

  it.each([
    ['create table notes (id text primary key, at timestamptz not null)', 'create index i on notes (at)'],
    ['create index concurrently i on messages (id)'],
    ['create index if not exists i on only messages (id)'],
    ["alter table messages add column a text not null default 'x, not null'", 'alter table messages add column b jsonb'],
    ['alter table messages add constraint c check (a > 0) not valid', 'alter table messages validate constraint c'],
    ['alter table messages add constraint c unique using index i'],
    ['create table if not exists notes (id text); alter table notes alter column id set not null'],
    ['create function f() returns void language plpgsql as $$ begin delete from messages; end $$'],
    ['-- drop table messages\ncreate table notes ()'],
  ])('accept %s', (...statements) => {
    expect(problemsOfMigration(statements)).toEqual([]);
  });
});
