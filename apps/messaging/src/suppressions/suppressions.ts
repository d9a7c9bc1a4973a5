import { Injectable } from '@nestjs/common';
import { messageIdToUuid } from '@tidings/contracts/messaging/message-id';
import type { SuppressionReason } from '@tidings/contracts/messaging/suppression-reasons';
import { Database, type Transaction } from '@tidings/persistence/database';
import { isMissingTable } from '@tidings/persistence/errors';
import { ChangeCache } from '../change-cache';
import { BounceGuard } from '../providers/bounce-guard';
import { ProviderChanges } from '../providers/provider-configurations';
import { type ChannelAddress, FoundSuppressions, NOTHING_SUPPRESSED, spelled, suppressionName } from './found-suppressions';
import { type Suppressing, SuppressionHashes } from './suppression-hashes';
import {
  findSuppressions,
  type FoundSuppression,
  hashSuppressions,
  lockErased,
  type NewSuppression,
  noteSuppressing,
  saveSuppressions,
  type SuppressionKey,
  suppressionsOf,
} from './suppression-store';

/** What a change of `ProviderChanges` names that concerns suppressions: no id of a configuration. */
const SUPPRESSIONS = 'suppressions';
/** Workspaces of which it is cached whether they suppress. */
const WORKSPACES_MAX = 10_000;
/** Addresses of one statement. */
const ADDRESSES_MAX = 1_000;

/** What a provider reports of an address to which the workspace sent. */
export interface SuppressionReport extends ChannelAddress {
  readonly workspaceId: string;
  readonly reason: Exclude<SuppressionReason, 'manual'>;
  /** Key of the provider. */
  readonly source: string;
  /** The id that clients see. */
  readonly messageId?: string;
  /** The configuration through which the message went: a bounce or a complaint counts against it. */
  readonly configurationId?: string;
  /** When it was sent, in ms since the epoch. Absent: just now. */
  readonly sentAt?: number;
}

/** The addresses to which workspaces send nothing. */
@Injectable()
export class Suppressions {
  private readonly cache = new ChangeCache({
    changes: this.changes,
    concerns: ({ id }) => id === SUPPRESSIONS,
    nameOf: ({ workspace_id }: { workspace_id: string }) => workspace_id,
    load: (keys) => this.load(keys.map(({ workspace_id }) => workspace_id)),
    limits: { max: WORKSPACES_MAX },
  });

  constructor(
    private readonly database: Database,
    private readonly changes: ProviderChanges,
    private readonly hashes: SuppressionHashes,
    private readonly guard: BounceGuard,
  ) {}

  /**
   * The suppressions among the addresses of a batch, in one read. Nothing is read, and `addressesOf` is not called, for workspaces that
   * never suppressed anything. A workspace's first suppression is known to this process at once, to others within a second; later ones to
   * all at once. Rejects while the database is unavailable.
   */
  async among<Item extends { workspaceId: string }>(
    items: readonly Item[],
    addressesOf: (item: Item) => readonly ChannelAddress[],
  ): Promise<FoundSuppressions> {
    const suppressing = await this.cache.find(items.map(({ workspaceId }) => ({ workspace_id: workspaceId })));
    // By the stored spelling or the hash: the name of the address as it is sent to.
    const names = new Map<string, string>();
    const keys: SuppressionKey[] = [];
    for (const item of items) {
      const { workspaceId } = item;
      const own = suppressing.get(workspaceId);
      if (!own) continue;
      for (const one of addressesOf(item)) {
        const named = spelled(one);
        if (!named) continue;
        const key = { workspaceId, ...named };
        const name = suppressionName(key);
        if (names.has(name)) continue;
        for (const address of storedTexts(own, named)) {
          keys.push({ ...key, address });
          names.set(suppressionName({ ...key, address }), name);
        }
      }
    }
    if (keys.length === 0) return NOTHING_SUPPRESSED;
    const found = new Map<string, FoundSuppression>();
    for (let from = 0; from < keys.length; from += ADDRESSES_MAX) {
      for (const one of await findSuppressions(this.database, keys.slice(from, from + ADDRESSES_MAX)))
        found.set(names.get(suppressionName(one))!, one);
    }
    return new FoundSuppressions(found);
  }

  /** The texts under which an address may be stored: its one spelling, and its hash where the workspace has erased addresses. */
  async storedNames({ workspaceId, channel, address }: SuppressionKey, tx?: Transaction): Promise<string[]> {
    return storedTexts((await this.hashes.load([workspaceId], tx)).get(workspaceId), { channel, address });
  }

  /**
   * Suppresses the addresses that providers report, in the transaction of the report. A stronger reason stays; what is no address of its
   * channel is left out, and what is about an erased message: resolves with whether there was such a report. Bounces and complaints count against their configurations, which may pause
   * them (`BounceGuard`). The messages stay locked, so that an erasure of them waits.
   */
  async suppress(tx: Transaction, reports: readonly SuppressionReport[]): Promise<boolean> {
    const valid = reports.flatMap((report) => {
      const named = spelled(report);
      return named ? [{ ...report, ...named }] : [];
    });
    if (valid.length === 0) return false;
    const rows = valid.map(({ workspaceId, channel, address, reason, source, messageId = '' }) => {
      return { workspaceId, channel, address, reason, source, createdAt: null, messageId: messageIdToUuid(messageId) ?? null };
    });
    const erased = await lockErased(tx, rows);
    const stored = rows.filter(({ messageId }) => messageId === null || !erased.has(messageId));
    await this.save(tx, stored, { replaces: false });
    await this.guard.count(tx, valid);
    return stored.length < rows.length;
  }

  /** Writes suppressions, as `saveSuppressions`. */
  async save(tx: Transaction, rows: readonly Omit<NewSuppression, 'hash'>[], how: { replaces: boolean }): Promise<number> {
    if (rows.length === 0) return 0;
    const workspaceIds = [...new Set(rows.map(({ workspaceId }) => workspaceId))];
    await this.publish(tx, await noteSuppressing(tx, workspaceIds));
    const suppressing = await this.hashes.load(workspaceIds, tx);
    const hashOf = ({ workspaceId, channel, address }: SuppressionKey) => suppressing.get(workspaceId)?.hashOf?.(channel, address) ?? null;
    return saveSuppressions(
      tx,
      rows.map((row) => ({ ...row, hash: hashOf(row) })),
      how,
    );
  }

  /**
   * Replaces addresses of an erased user by their hashes: these, and those of suppressions that follow from these messages (uuid). They
   * stay suppressed. Resolves with their number.
   */
  async erase(tx: Transaction, workspaceId: string, messages: readonly string[], addresses: readonly ChannelAddress[]) {
    const named = addresses.flatMap((one) => spelled(one) ?? []);
    const owned = await suppressionsOf(tx, workspaceId, messages, named);
    if (owned.length === 0) return 0;
    const { hashOf, isNew } = await this.hashes.forErasure(tx, workspaceId);
    if (isNew) await this.publish(tx, [workspaceId]);
    await hashSuppressions(
      tx,
      workspaceId,
      owned.map(({ channel, address }) => ({ channel, address, hash: hashOf(channel, address) })),
    );
    return owned.length;
  }

  /** What is cached of these workspaces is loaded anew. */
  private async publish(tx: Transaction, workspaceIds: readonly string[]) {
    for (const workspaceId of workspaceIds) await this.changes.publish(tx, { workspaceId, id: SUPPRESSIONS });
  }

  private async load(workspaceIds: readonly string[]): Promise<(Suppressing | null)[]> {
    const found = await this.hashes.load(workspaceIds).catch((error: unknown) => {
      // The schema is of the version before, in which nothing is suppressed; the first suppression renews the cache.
      if (isMissingTable(error)) return new Map<string, Suppressing>();
      throw error;
    });
    return workspaceIds.map((id) => found.get(id) ?? null);
  }
}

/** The texts under which an address may be stored. */
function storedTexts(suppressing: Suppressing | undefined, { channel, address }: Pick<SuppressionKey, 'channel' | 'address'>): string[] {
  return suppressing?.hashOf ? [address, suppressing.hashOf(channel, address)] : [address];
}
