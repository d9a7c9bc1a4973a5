import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { SYSTEM_WORKSPACE_ID } from '@tidings/contracts/core/context';
import { isMissingTable } from '@tidings/persistence/errors';
import { In, Repository } from 'typeorm';
import { ChangeCache } from '../change-cache';
import { type ProviderConfiguration, ProviderChanges } from './provider-configurations';
import { ProviderPauseEntity } from './provider-pause.entity';

/** Workspaces whose pauses are cached. */
const WORKSPACES_MAX = 1_000;
const OF_ALL_WORKSPACES = { workspace_id: SYSTEM_WORKSPACE_ID };

/** Which providers operators paused. A change applies in every process within a second. */
@Injectable()
export class ProviderPauses {
  private readonly cache = new ChangeCache({
    changes: this.changes,
    nameOf: ({ workspace_id }: { workspace_id: string }) => workspace_id,
    load: (keys) => this.load(keys.map(({ workspace_id }) => workspace_id)),
    limits: { max: WORKSPACES_MAX },
  });

  constructor(
    @InjectRepository(ProviderPauseEntity) private readonly rows: Repository<ProviderPauseEntity>,
    private readonly changes: ProviderChanges,
  ) {}

  /** Whether the configuration is paused: itself or its kind, in its workspace or in all. Rejects while neither cache nor database has it. */
  async isPaused({ workspaceId, id, provider }: Pick<ProviderConfiguration, 'workspaceId' | 'id' | 'provider'>): Promise<boolean> {
    const found = await this.cache.find([OF_ALL_WORKSPACES, { workspace_id: workspaceId }]);
    for (const names of found.values()) if (names.has(id) || names.has(provider)) return true;
    return false;
  }

  private async load(workspaceIds: readonly string[]): Promise<ReadonlySet<string>[]> {
    const rows = await this.rows.findBy({ workspaceId: In(workspaceIds) }).catch((error: unknown) => {
      // The schema is of the version before, in which no provider is paused; the first pause renews the cache.
      if (isMissingTable(error)) return [];
      throw error;
    });
    return workspaceIds.map((id) => new Set(rows.filter(({ workspaceId }) => workspaceId === id).map(({ name }) => name)));
  }
}
