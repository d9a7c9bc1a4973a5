import { statement } from './statement';

/**
 * Events of one key share a shard, and events of a shard are published in commit order. More shards let more transactions
 * commit at once. Change it only while every outbox is empty: keys move to other shards.
 */
export const SHARDS = 16;

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** The shard of a key, the same in every process (FNV-1a over UTF-8). */
export function shardOf(key: string): number {
  let hash = FNV_OFFSET;
  for (const byte of Buffer.from(key)) hash = Math.imul(hash ^ byte, FNV_PRIME);
  return (hash >>> 0) % SHARDS;
}

/** Distinct shards of keys, ascending: the order in which every transaction takes their locks. */
export function shardsOf(keys: Iterable<string>): number[] {
  return [...new Set([...keys].map(shardOf))].sort((a, b) => a - b);
}

// SQL because one statement takes the advisory locks of many shards, in their order.
/**
 * Takes the publishing locks of shards until the transaction ends. `$1` is the source's lock class (`publishingLockOf`), `$2` the
 * shards in the order of `shardsOf`. A source with a table of its own runs it in a `beforeCommit` hook at `PUBLISH_HOOK_ORDER`,
 * and draws the positions of its events in a later statement.
 */
export const lockShards = statement('lock-shards', 'SELECT pg_advisory_xact_lock($1, shard) FROM unnest($2::int[]) AS wanted (shard)');
