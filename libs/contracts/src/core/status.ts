import { Flag, Int, IsListOf, OptionalInt, OptionalText, Text } from './fields';

/** A consumer group and what it has not handled. */
export class GroupLag {
  /** Without the prefix. @example "tidings.message-requests.v1" */
  @Text topic: string;

  /** @example "tidings.messaging.router" */
  @Text group: string;

  /** Records that it has not handled. In PostgreSQL they are counted up to 10,000. @example 0 */
  @Int records: number;
}

/** A topic and its dead letters. */
export class TopicDeadLetters {
  /** Without the prefix. @example "tidings.message-requests.v1" */
  @Text topic: string;

  /** How many wait. @example 0 */
  @Int count: number;
}

/** One of the five apps, as one of its processes sees it. */
export class AppStatus {
  /** `gateway`, `identity`, `audience`, `messaging` or `content`. @example "messaging" */
  @Text name: string;

  /** Whether it accepts work now. @example true */
  @Flag ready: boolean;

  /** Why it is not ready. @example "database: connect ECONNREFUSED 127.0.0.1:5432" */
  @OptionalText reason?: string;

  /** The version of the process that answered; `null` where none did. @example "0.2.0" */
  @OptionalText version: string | null;

  /** What is due and not done, as deliveries and events to publish, counted up to a bound; `null` where it is not known. @example 0 */
  @OptionalInt backlog: number | null;

  /** How long the oldest of the backlog waits, in seconds; 0 without a backlog, `null` where it is not known. @example 0 */
  @OptionalInt oldest: number | null;

  /** Records that its consumer groups have not handled; `null` where it is not known. @example 0 */
  @OptionalInt lag: number | null;

  /** Dead letters of the topics that it reads; `null` where it is not known. @example 0 */
  @OptionalInt dead: number | null;

  /** `lag` by group. */
  @IsListOf(GroupLag) groups: GroupLag[];

  /** `dead` by topic, without topics that have none. */
  @IsListOf(TopicDeadLetters) dead_letters: TopicDeadLetters[];
}

/** The five apps. */
export class SystemStatus {
  /** Whether all of them are ready. @example true */
  @Flag ready: boolean;

  /** The gateway first. */
  @IsListOf(AppStatus) apps: AppStatus[];
}
