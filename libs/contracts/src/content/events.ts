import { IsIn, IsString, IsUUID } from 'class-validator';
import { defineEvent } from '../core/event';

/** What a send may have taken from content. */
const CONTENT_KINDS = ['template', 'tenant_template', 'brand', 'routing_strategy', 'translation', 'event_mapping'] as const;
export type ContentKind = (typeof CONTENT_KINDS)[number];

/** Something of a workspace's content is not what it was: whoever keeps a copy asks for it anew. */
export class ContentChanged {
  @IsUUID()
  workspaceId!: string;

  @IsIn(CONTENT_KINDS)
  kind!: ContentKind;

  /** The resource: its id; of a tenant's template `<tenant id>/<template id>`; of a translation its locale. */
  @IsString()
  id!: string;
}

export const contentChanged = defineEvent({
  topic: 'tidings.content-changed.v1',
  key: ['workspaceId', 'kind', 'id'],
  payload: ContentChanged,
  summary: 'Published content changed, or is there no more',
  from: 'content',
  to: ['messaging'],
});
