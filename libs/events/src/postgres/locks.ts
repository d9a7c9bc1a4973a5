import { advisoryClass } from '@tidings/persistence/advisory';

/** First halves of advisory locks' keys. They are part of the schema: migrations write them into functions. */
export const LOCK_CLASS = {
  /** With a topic's id: whoever appends to it, until the commit. */
  append: advisoryClass('event-log', 'append'),
  /** With a group's id: the group's one working member, for its session. */
  place: advisoryClass('event-log', 'place'),
  /** With 0: whoever tidies the log. */
  maintenance: advisoryClass('event-log', 'maintenance'),
} as const;
