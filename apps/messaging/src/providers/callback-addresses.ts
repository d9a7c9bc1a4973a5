import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DAY_MS } from '@tidings/contracts/core/duration';
import { callbackUrl } from '@tidings/contracts/messaging/provider-callbacks';
import { orIfMissingTable } from '@tidings/persistence/errors';
import { isEqual } from '@tidings/providers/callback/signatures';
import { callbackOf } from '@tidings/providers/callbacks';
import { Clock } from '@tidings/runtime/clock';
import { type EntityManager, In, Repository } from 'typeorm';
import type { ConfigurationKey } from './configuration.entity';
import { ProviderCallbackEntity } from './provider-callback.entity';
import { ProviderSecrets } from './provider-secrets';

/** Injects the public address of the gateway, without a slash at its end; undefined where there is none. */
export const PUBLIC_URL = Symbol('PublicUrl');

const SECRET_BYTES = 24;
/** How long the address before a rotation is accepted. */
const OVERLAP_MS = DAY_MS;

/** The secret of an address, and the one before it. */
interface CallbackSecret {
  readonly secret: string;
  readonly previous?: { readonly secret: string; readonly untilMs: number };
}

/** A configuration with the key of its kind. */
type KindOf = ConfigurationKey & { readonly provider: string };

/** The addresses to which vendors report; each configuration of a kind that reports has one, with a secret of its own. */
@Injectable()
export class CallbackAddresses {
  constructor(
    @InjectRepository(ProviderCallbackEntity) private readonly rows: Repository<ProviderCallbackEntity>,
    private readonly secrets: ProviderSecrets,
    private readonly clock: Clock,
    @Inject(PUBLIC_URL) private readonly publicUrl: string | undefined,
  ) {}

  /** Draws the secret of a configuration that has none, if its kind reports. */
  async ensure(tx: EntityManager, { provider, ...key }: KindOf): Promise<void> {
    if (!callbackOf(provider) || !(await hasTable(tx))) return;
    const values = this.sealed(key, { secret: newSecret() });
    await tx.createQueryBuilder().insert().into(ProviderCallbackEntity).values(values).orIgnore().execute();
  }

  /** Draws another secret; the present one is accepted for a day more. */
  async rotate(tx: EntityManager, key: ConfigurationKey): Promise<void> {
    const rows = tx.getRepository(ProviderCallbackEntity);
    const row = await rows.findOneBy({ workspaceId: key.workspaceId, configurationId: key.id });
    const present = row && this.open(key, row);
    const previous = present ? { secret: present.secret, untilMs: this.clock.now() + OVERLAP_MS } : undefined;
    await rows.upsert(this.sealed(key, { secret: newSecret(), previous }), ['workspaceId', 'configurationId']);
  }

  async remove(tx: EntityManager, { workspaceId, id }: ConfigurationKey): Promise<void> {
    if (await hasTable(tx)) await tx.delete(ProviderCallbackEntity, { workspaceId, configurationId: id });
  }

  /** The addresses of configurations; none for kinds that report nothing, or where the installation has no public address. */
  async of<Configuration extends KindOf>(configurations: readonly Configuration[]): Promise<ReadonlyMap<Configuration, string>> {
    const { publicUrl } = this;
    const reporting = configurations.filter(({ provider }) => callbackOf(provider));
    if (publicUrl === undefined || reporting.length === 0) return new Map();
    const [workspaceIds, ids] = [reporting.map(({ workspaceId }) => workspaceId), reporting.map(({ id }) => id)];
    const rows = await orIfMissingTable(this.rows.findBy({ workspaceId: In(workspaceIds), configurationId: In(ids) }), []);
    return new Map(
      reporting.flatMap((one) => {
        const row = rows.find(({ workspaceId, configurationId }) => workspaceId === one.workspaceId && configurationId === one.id);
        const opened = row && this.open(one, row);
        return opened ? [[one, callbackUrl(publicUrl, { provider: one.provider, id: one.id, secret: opened.secret })] as const] : [];
      }),
    );
  }

  /** The workspace of the configuration with this id whose address has this secret; undefined for any other. */
  async workspaceOf(id: string, secret: string): Promise<string | undefined> {
    // By the id alone: it is random, and the caller knows no workspace.
    for (const row of await orIfMissingTable(this.rows.findBy({ configurationId: id }), [])) {
      const { workspaceId } = row;
      const opened = this.open({ workspaceId, id }, row);
      if (opened && this.isAccepted(opened, secret)) return workspaceId;
    }
    return undefined;
  }

  /** Seals the secret of a row again with the first key; undefined where it cannot be opened. */
  resealed({ workspaceId, configurationId: id, ...row }: ProviderCallbackEntity): ProviderCallbackEntity | undefined {
    const opened = this.open({ workspaceId, id }, row);
    return opened && this.sealed({ workspaceId, id }, opened);
  }

  private isAccepted({ secret, previous }: CallbackSecret, given: string) {
    const isPrevious = previous !== undefined && isEqual(previous.secret, given) && previous.untilMs > this.clock.now();
    return isEqual(secret, given) || isPrevious;
  }

  private sealed(key: ConfigurationKey, secret: CallbackSecret): ProviderCallbackEntity {
    const { workspaceId, id: configurationId } = key;
    return { workspaceId, configurationId, ...this.secrets.seal(sealedAs(key), { ...secret }) };
  }

  private open(key: ConfigurationKey, row: Pick<ProviderCallbackEntity, 'secrets' | 'keyId'>) {
    return this.secrets.open({ ...sealedAs(key), secrets: row.secrets, keyId: row.keyId }) as CallbackSecret | undefined;
  }
}

const newSecret = () => randomBytes(SECRET_BYTES).toString('base64url');

/** Another name than that of the configuration's settings. */
const sealedAs = ({ workspaceId, id }: ConfigurationKey): ConfigurationKey => ({ workspaceId, id: `${id} callback` });

/** Whether the table exists: the schema may be of the version before. A statement that fails would end the transaction. */
async function hasTable(tx: EntityManager): Promise<boolean> {
  const [row] = await tx.query<{ found: boolean }[]>("select to_regclass('provider_callbacks') is not null as found");
  return row!.found;
}
