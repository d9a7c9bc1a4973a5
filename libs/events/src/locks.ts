import { advisoryClass } from '@tidings/persistence/advisory';

/** First halves of advisory locks' keys. They are part of the schema: migrations write them into functions. */
export const LOCK_CLASS = {
  /** With a topic's id: taken by an append, until its commit. */
  append: advisoryClass('event-log', 'append'),
  /** With a group's id: the group lock of its working member, for the session. */
  place: advisoryClass('event-log', 'place'),
  /** With 0: the instance that runs maintenance. */
  maintenance: advisoryClass('event-log', 'maintenance'),
} as const;
