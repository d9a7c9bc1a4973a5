import type { ResolvedBrand } from '@tidings/contracts/content/sending';
import type { Content } from './elemental/compile';
import type { PortableRenderInput } from './pool/jobs';
import type { Utm } from './urls';

/** All inputs of a message to one recipient over one channel. */
export interface MessageParts {
  readonly workspaceId: string;
  readonly content: Content;
  /** Cache key of immutable content, unique among all workspaces; absent for content that may change. */
  readonly contentKey?: string;
  readonly channel: string;
  readonly provider?: string;
  /** `null`: without a brand. */
  readonly brand: ResolvedBrand | null;
  /** Whether the brand equals a stored version, so that results can be cached by it. Default: true. */
  readonly brandIsStored?: boolean;
  /** Translation catalogues in order of precedence. */
  readonly catalogues: readonly string[];
  readonly data: Readonly<Record<string, unknown>>;
  /** The tenant of the message's context, as variables name it. */
  readonly tenant?: Readonly<Record<string, unknown>>;
  readonly utm?: Utm;
  /** The merged profile. */
  readonly profile: Readonly<Record<string, unknown>>;
  readonly builtIns: BuiltIns;
}

/** Variables of every message beside its data. */
interface BuiltIns {
  readonly messageId: string;
  /** Event name of the send. */
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

/** Builds the rendering input of a message: one scope for sends and previews, so that both render alike. */
export function messageInput(parts: MessageParts): PortableRenderInput {
  const { workspaceId, brand, brandIsStored = true, catalogues, data, profile, builtIns, tenant, ...content } = parts;
  return {
    ...content,
    ...(typeof profile.locale === 'string' && { locale: profile.locale }),
    brand: brand && (brandIsStored ? { ...brand, key: brandKeyOf(workspaceId, brand) } : brand),
    scope: { data, profile, ...(tenant && { tenant }), builtIns: variablesOf(builtIns), catalogues },
  };
}

/** Unique per workspace, brand and version. */
function brandKeyOf(workspaceId: string, { id, version }: ResolvedBrand) {
  return JSON.stringify([workspaceId, id, version]);
}

function variablesOf({ topicId, mode, scope, nowMs, ...names }: BuiltIns): Record<string, unknown> {
  return {
    ...names,
    ...(topicId && { subscriptionTopicId: topicId }),
    courier: { environment: mode, scope },
    datetime: { year: new Date(nowMs).getUTCFullYear() },
  };
}
