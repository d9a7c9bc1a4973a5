import type { ResolvedBrand } from '@tidings/contracts/content/sending-brands';
import type { Content } from './elemental/compile';
import type { PortableRenderInput } from './pool/jobs';
import type { Utm } from './urls';

/** A message to one recipient over one channel, with all that it is made of. */
export interface MessageParts {
  readonly workspaceId: string;
  readonly content: Content;
  /** Names the content for good and among all workspaces; absent for content that may change under its name. */
  readonly contentKey?: string;
  readonly channel: string;
  readonly provider?: string;
  /** `null`: without a brand. */
  readonly brand: ResolvedBrand | null;
  /** Whether the brand is as it is stored, so that what is made of it can be kept under its version. Default: yes. */
  readonly brandIsStored?: boolean;
  /** Catalogues of translations, the first is asked first. */
  readonly catalogues: readonly string[];
  readonly data: Readonly<Record<string, unknown>>;
  /** The tenant in whose context it is sent, as variables see it. */
  readonly tenant?: Readonly<Record<string, unknown>>;
  readonly utm?: Utm;
  /** Merged. */
  readonly profile: Readonly<Record<string, unknown>>;
  readonly builtIns: BuiltIns;
}

/** What every message can name beside its data. */
interface BuiltIns {
  readonly messageId: string;
  /** As the send calls it. */
  readonly event: string;
  readonly recipient: string;
  /** The template's id, or its name where there is no such template; empty for content of the send. */
  readonly template: string;
  readonly topicId?: string | null;
  readonly mode: 'production' | 'test';
  readonly scope: 'published' | 'draft';
  /** The time of the rendering, ms since the epoch. */
  readonly nowMs: number;
}

/** What a message is rendered with: one scope for sends and previews, so that a preview shows what a send says. */
export function messageInput(parts: MessageParts): PortableRenderInput {
  const {
    workspaceId,
    content,
    contentKey,
    channel,
    provider,
    brand,
    brandIsStored = true,
    catalogues,
    data,
    profile,
    builtIns,
    tenant,
    utm,
  } = parts;
  return {
    content,
    ...(contentKey !== undefined && { contentKey }),
    channel,
    ...(provider !== undefined && { provider }),
    ...(typeof profile.locale === 'string' && { locale: profile.locale }),
    brand: brand && (brandIsStored ? { ...brand, key: brandKeyOf(workspaceId, brand) } : brand),
    ...(utm && { utm }),
    scope: { data, profile, ...(tenant && { tenant }), builtIns: variablesOf(builtIns), catalogues },
  };
}

/** Another one for every version of a brand, in every workspace. */
function brandKeyOf(workspaceId: string, { id, version }: ResolvedBrand): string {
  return JSON.stringify([workspaceId, id, version]);
}

function variablesOf({ messageId, event, recipient, template, topicId, mode, scope, nowMs }: BuiltIns): Record<string, unknown> {
  return {
    messageId,
    event,
    recipient,
    template,
    ...(topicId && { subscriptionTopicId: topicId }),
    courier: { environment: mode, scope },
    datetime: { year: new Date(nowMs).getUTCFullYear() },
  };
}
