import { IsIn } from 'class-validator';
import { Text, Uuid } from '../core/fields';
import { defineEvent } from '../core/event';

/** The kinds of content that a send may load. */
const CONTENT_KINDS = ['template', 'tenant_template', 'brand', 'routing_strategy', 'translation', 'event_mapping'] as const;
export type ContentKind = (typeof CONTENT_KINDS)[number];

/** A change of a workspace's content: consumers drop their cached copy. */
export class ContentChanged {
  @Uuid workspaceId: string;

  @IsIn(CONTENT_KINDS) kind: ContentKind;

  /** The id of the resource; of a tenant's template `<tenant id>/<template id>`; of a translation its locale. */
  @Text id: string;
}

export const contentChanged = defineEvent({
  topic: 'tidings.content-changed.v1',
  key: ['workspaceId', 'kind', 'id'],
  payload: ContentChanged,
  summary: 'Published content changed or was deleted',
  from: 'content',
  to: ['messaging'],
});
