import type { ResolvedBrand } from '@tidings/contracts/content/sending';
import type { PortableRenderInput } from './pool/jobs';
import type { Values } from './scope';

/** All inputs of a message to one recipient over one channel. */
export interface MessageParts extends Pick<PortableRenderInput, 'content' | 'contentKey' | 'channel' | 'provider' | 'utm'> {
  readonly workspaceId: string;
  /** `null`: without a brand. */
  readonly brand: ResolvedBrand | null;
  /** Whether the brand equals a stored version, so that results can be cached by it. Default: true. */
  readonly brandIsStored?: boolean;
  /** Translation catalogues in order of precedence. */
  readonly catalogues: readonly string[];
  readonly data: Values;
  /** The tenant of the message's context, as variables name it. */
  readonly tenant?: Values;
  /** The merged profile. */
  readonly profile: Values;
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
  const { workspaceId, brand, brandIsStored = true, catalogues, data, profile, builtIns, tenant } = parts;
  // Every field by name: rest properties cost microseconds a message.
  return {
    content: parts.content,
    contentKey: parts.contentKey,
    channel: parts.channel,
    provider: parts.provider,
    utm: parts.utm,
    locale: typeof profile.locale === 'string' ? profile.locale : undefined,
    brand: brand && (brandIsStored ? { ...brand, key: JSON.stringify([workspaceId, brand.id, brand.version]) } : brand),
    scope: { data, profile, ...(tenant && { tenant }), builtIns: variablesOf(builtIns), catalogues },
  };
}

function variablesOf({ messageId, event, recipient, template, topicId, mode, scope, nowMs }: BuiltIns) {
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
