import { IsIn } from 'class-validator';
import { IsListOf, OptionalInt, OptionalNested, OptionalText, Text } from '../core/fields';
import { STATUS_READS } from '../core/granted';
import { defineOperations } from '../core/operation';
import { GetMessage } from './messages';

/** What became of a message. */
const EXPLAINED_OUTCOMES = ['delivered', 'sent', 'simulated', 'waiting', 'not_sent', 'failed', 'canceled'] as const;
export type ExplainedOutcome = (typeof EXPLAINED_OUTCOMES)[number];

/** Whose decision it was. */
const DECIDERS = [
  'send',
  'user',
  'recipient',
  'tenant',
  'list',
  'topic',
  'template',
  'provider',
  'operator',
  'workspace',
  'system',
] as const;
export type Decider = (typeof DECIDERS)[number];

const SUBJECT_KINDS = ['user', 'tenant', 'list', 'topic', 'template', 'provider', 'request'] as const;

/** What a decision is about. */
export class DecisionSubject {
  /** Its kind; of a `provider` the id is that of its configuration. @example "topic" */
  @IsIn(SUBJECT_KINDS) kind: (typeof SUBJECT_KINDS)[number];

  /** Its id. @example "tpc_7Hd2kQm3xYb5nVwZ4cRt" */
  @Text id: string;
}

/** One decision about a message. */
export class ExplainedDecision {
  /** When it was taken, ms since the epoch; absent where it is not known. @example 1772359200050 */
  @OptionalInt at?: number;

  /** The question, for people. @example "Do the recipient's preferences allow it?" */
  @Text question: string;

  /** The answer, for people: names ids, and fields as `profile.email`. @example "No: user ada opted out of topic tpc_7Hd2kQm3xYb5nVwZ4cRt" */
  @Text answer: string;

  /** The rule that decided, a fixed code for programs. @example "preference" */
  @Text rule: string;

  /** Whose decision it was. @example "user" */
  @IsIn(DECIDERS) whose: Decider;

  /** What it is about; absent where that has no id. */
  @OptionalNested(DecisionSubject) subject?: DecisionSubject;
}

/** The next attempt of a message that is in progress. */
export class NextAttempt {
  /** When it is due, ms since the epoch; absent while the provider is being called. @example 1772359260000 */
  @OptionalInt at?: number;

  /** Channel; absent where the message is delayed, or its next route is not chosen yet. @example "email" */
  @OptionalText channel?: string;

  /** Key of the provider; absent as the channel. @example "smtp" */
  @OptionalText provider?: string;

  /** Id of its configuration. @example "default" */
  @OptionalText configuration_id?: string;

  /** Until when it is retried, ms since the epoch. @example 1772618400000 */
  @OptionalInt until?: number;

  /** Why the last attempt failed, or this one waits. @example "Mail server answered 451: greylisted" */
  @OptionalText error?: string;
}

/** What would help. */
export class Remedy {
  /** What to do, in a sentence. @example "User ada can opt in to topic tpc_7Hd2kQm3xYb5nVwZ4cRt again." */
  @Text text: string;

  /** Where in the console; absent for advice without a page. @example "/console/users/ada" */
  @OptionalText link?: string;
}

/** Why a message was sent as it was, or was not. */
export class MessageExplanation {
  /** The whole of it in one sentence. @example "Not sent: user ada opted out of topic tpc_7Hd2kQm3xYb5nVwZ4cRt (own choice of user ada)." */
  @Text sentence: string;

  /**
   * `delivered`; `sent`: a provider accepted it and has not reported its delivery; `simulated`: by a test key; `waiting`: in progress or
   * delayed; `not_sent`: nothing was called for it; `failed`: every route failed; `canceled`.
   * @example "not_sent"
   */
  @IsIn(EXPLAINED_OUTCOMES) outcome: ExplainedOutcome;

  /**
   * `decisions`: as they were stored when they were taken. `history`: the message was processed by an earlier version, which stored none; it
   * is explained from its events, which name neither topics nor whose choice it was.
   * @example "decisions"
   */
  @IsIn(['decisions', 'history']) source: 'decisions' | 'history';

  /** The decisions, in order. */
  @IsListOf(ExplainedDecision) decisions: ExplainedDecision[];

  /** The next attempt; absent where none is planned. */
  @OptionalNested(NextAttempt) next_attempt?: NextAttempt;

  /** What would help; empty where nothing is wrong. */
  @IsListOf(Remedy) remedies: Remedy[];
}

export const explanations = defineOperations(
  'messaging.explanations',
  'messages',
  {
    /**
     * Each decision about the message, in order: whom it goes to, which preference, condition, missing address, suppression or answer of a
     * provider decided, and what happens next. Waits for a message in flight as `GET /messages/:message_id` does. Not for tokens of users:
     * 403.
     */
    retrieve: {
      route: 'GET /console/api/messages/:message_id/explain',
      limitedScope: STATUS_READS,
      ofUserAnswered: { by: 'messaging.messages.retrieve', field: 'recipient' },
      summary: 'Explain what became of a message, and why',
      request: GetMessage,
      response: MessageExplanation,
      waits: true,
    },
  },
  { generation: 'own' },
);
