import type { AnyDecision, DecisionCode, DecisionFields, PreferenceOrigin, StoredDecision, StoredFailure } from './decisions';
import type { Decider, DecisionSubject, ExplainedDecision, Remedy } from './explanations';

/** What the sentences name of the message. */
export interface ExplainedMessage {
  /** The user, if it goes to one. */
  readonly userId?: string;
  /** The user id, else the address. */
  readonly recipient: string;
  /** The send has channels, providers or a routing of its own. */
  readonly hasSettings: boolean;
}

/** A decision in words. */
export interface DecisionWords extends Pick<ExplainedDecision, 'question' | 'answer' | 'whose' | 'subject'> {
  /** Why nothing was sent because of it, as the end of a sentence; absent where it stopped nothing. */
  readonly stops?: string;
  readonly remedy?: Remedy;
}

type Words<Code extends DecisionCode> = (decision: DecisionFields[Code], message: ExplainedMessage) => DecisionWords;

/** A time for people, in UTC. */
export const shownInstant = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** The user or the address that a message goes to. */
export const shownRecipient = ({ userId, recipient }: ExplainedMessage): string =>
  userId === undefined ? `recipient ${recipient}` : `user ${userId}`;

const listed = (names: readonly string[]) => names.join(', ');
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const userLink = ({ userId }: ExplainedMessage) => userId && `/console/users/${encodeURIComponent(userId)}`;
const subjectOf = (kind: DecisionSubject['kind'], id: string | undefined): DecisionSubject | undefined =>
  id === undefined ? undefined : { kind, id };
const routeName = ({ channel, provider }: { channel: string; provider: string }) => `${provider} on ${channel}`;
const providerOf = ({ configuration }: { configuration?: string }) => subjectOf('provider', configuration);
const providerLink = '/console/providers';

/** Whose a preference is, and how it is called. */
function originWords(by: PreferenceOrigin | undefined, message: ExplainedMessage): { whose: Decider; name: string } {
  const who = shownRecipient(message);
  switch (by?.source) {
    case 'send':
      return { whose: 'send', name: 'preferences given with the send' };
    case 'user-in-tenant':
      return { whose: 'user', name: `own choice of ${who} in tenant ${by.id}` };
    case 'user':
      return { whose: 'user', name: `own choice of ${who}` };
    case 'tenant-default':
      return { whose: 'tenant', name: `default of tenant ${by.id}` };
    case 'subscription':
      return { whose: 'user', name: by.id === undefined ? `subscription of ${who}` : `subscription of ${who} to list ${by.id}` };
    case 'list':
      return { whose: 'list', name: `preferences of list ${by.id}` };
    case 'topic-default':
      return { whose: 'topic', name: `default of topic ${by.id}` };
    case undefined:
      return { whose: 'system', name: 'no preference' };
  }
}

const REFUSED_SENTENCES = {
  opted_out: 'opted out',
  snoozed: 'snoozed notifications',
  opt_in_required: 'has not opted in',
  passed: '',
} as const satisfies Record<DecisionFields['preference']['result'], string>;

const preference: Words<'preference'> = ({ result, topic, by, channels, required }, message) => {
  const question = 'Do the preferences of the recipient allow it?';
  const { whose, name } = originWords(by, message);
  const of = topic === undefined ? '' : ` of topic ${topic}`;
  const to = topic === undefined ? '' : ` to topic ${topic}`;
  const subject = subjectOf('topic', topic) ?? subjectOf('user', message.userId);
  if (result === 'passed') {
    const only = channels ? `; only on ${listed(channels) || 'no channel'}` : '';
    const ofTopic = topic === undefined ? '' : `, topic ${topic}`;
    const answer = required
      ? `Yes: required by the ${name}${ofTopic}${only}`
      : `Yes: ${name}${by ? '' : ' stands against it'}${ofTopic}${only}`;
    return { question, answer, whose, subject };
  }
  const until = by?.until === undefined ? '' : ` until ${shownInstant(by.until)}`;
  const state = `${shownRecipient(message)} ${REFUSED_SENTENCES[result]}${result === 'opt_in_required' ? to : of}${until} (${name})`;
  const remedy = {
    text: `Send it again when ${shownRecipient(message)} has opted in${to}${until === '' ? '' : ', or after the snooze'}.`,
    link: userLink(message),
  };
  return { question, answer: `No: ${state}`, whose, subject, stops: state, remedy };
};

/** What each code means, in words: sentences about decisions are here alone. */
const WORDS: { readonly [Code in AnyDecision['code']]: Words<Code> } = {
  recipient: ({ tenant, tenantIsOnly, list, request }, message) => {
    const of = tenant === undefined ? '' : `, in the context of tenant ${tenant}${tenantIsOnly ? ', the only one of the user' : ''}`;
    const through = list === undefined ? '' : `, found on list ${list}`;
    const from = request === undefined ? '' : `, of request ${request}`;
    return {
      question: 'Who gets it?',
      answer: `${capital(shownRecipient(message))}${of}${through}${from}`,
      whose: list === undefined ? 'send' : 'list',
      subject: subjectOf('user', message.userId) ?? subjectOf('list', list),
    };
  },
  template: ({ name, template }) => {
    const question = 'Which template is it?';
    if (template !== undefined)
      return { question, answer: `${template}, named ${name}`, whose: 'send', subject: { kind: 'template', id: template } };
    return {
      question,
      answer: `None: there is no template ${name}`,
      whose: 'send',
      stops: `there is no template ${name}`,
      remedy: { text: `Create the template ${name}, or map the event ${name} to one.`, link: '/console/templates' },
    };
  },
  unpublished: ({ error }) => ({
    question: 'Is the template published?',
    answer: `No: ${error}`,
    whose: 'template',
    stops: `the template is not published`,
    remedy: { text: 'Publish the template, then send the message again.', link: '/console/templates' },
  }),
  delayed: ({ untilMs }) => ({ question: 'When is it sent?', answer: `Not before ${shownInstant(untilMs)}`, whose: 'send' }),
  preference,
  routing: ({ from, method, routes }) => {
    const name = { send: 'The routing of the send', template: 'The routing of the template', default: 'The default routing' }[from];
    const order = routes && `: ${method === 'all' ? 'each of' : 'the first that works of'} ${listed(routes)}`;
    const whose = ({ send: 'send', template: 'template', default: 'workspace' } as const)[from];
    return { question: 'Which routes does it have?', answer: `${name}${order ?? ''}`, whose };
  },
  removed: ({ channels, by }, message) => {
    const { whose, name } = originWords(by, message);
    const state = `${listed(channels)} removed by the ${name}`;
    return {
      question: 'Which channels do preferences remove?',
      answer: capital(state),
      whose,
      stops: state,
      subject: subjectOf('user', message.userId),
    };
  },
  unconfigured: ({ channels }) => ({
    question: 'Which channels have no provider?',
    answer: listed(channels),
    whose: 'workspace',
    stops: `no provider is configured for ${listed(channels)}`,
    remedy: { text: `Configure a provider for ${listed(channels)}.`, link: providerLink },
  }),
  lacks: ({ channel, field, isInvalid }, message) => {
    const state = `${field} of ${shownRecipient(message)} is ${isInvalid ? 'no address for it' : 'missing'}`;
    return {
      question: `Can ${channel} reach the recipient?`,
      answer: `No: ${state}`,
      whose: 'recipient',
      subject: subjectOf('user', message.userId),
      stops: `${channel} cannot reach the recipient: ${state}`,
      remedy: { text: `Give ${shownRecipient(message)} ${isInvalid ? 'a valid ' : ''}${field}.`, link: userLink(message) },
    };
  },
  condition: ({ channels }, { hasSettings }) => ({
    question: 'Are the conditions of the channels met?',
    answer: `No: those of ${listed(channels)} are not`,
    whose: hasSettings ? 'send' : 'template',
    stops: `the conditions of ${listed(channels)} are not met`,
  }),
  filtered: ({ error }, { hasSettings }) => ({
    question: 'Do the conditions allow it?',
    answer: `No: ${error}`,
    whose: hasSettings ? 'send' : 'template',
    stops: error,
  }),
  content: ({ template, version, tenant, locale, brand }) => {
    const parts = [
      `template ${template}`,
      version === undefined ? '' : ` ${version}`,
      tenant === undefined ? '' : ` of tenant ${tenant}`,
      locale === undefined ? '' : `, locale ${locale}`,
      brand === undefined ? '' : `, brand ${brand}`,
    ];
    return {
      question: 'What is its content?',
      answer: capital(parts.join('')),
      whose: 'template',
      subject: { kind: 'template', id: template },
    };
  },
  skipped: ({ why, ...route }) => {
    const state = {
      empty: `the content has nothing for ${routeName(route)}`,
      late: `the time of ${route.channel} was over`,
      changed: `${routeName(route)} was reconfigured, and cannot reach the recipient any more`,
    }[why];
    return {
      question: `Is ${routeName(route)} used?`,
      answer: `No: ${state}`,
      whose: why === 'changed' ? 'provider' : 'send',
      subject: providerOf(route),
      stops: state,
    };
  },
  escalated: ({ criteria, afterMs }) => ({
    question: 'Why is the next route used?',
    answer: `The message was not ${criteria} within ${Math.round(afterMs / 1_000)} s`,
    whose: 'recipient',
  }),
  tried: (route) => ({
    question: 'Which route is used?',
    answer: capital(routeName(route)),
    whose: 'provider',
    subject: providerOf(route),
  }),
  accepted: ({ attempts = 1, response, ...route }) => ({
    question: `Did ${routeName(route)} accept it?`,
    answer: `Yes${attempts > 1 ? `, at attempt ${attempts}` : ''}${response === undefined ? '' : `: ${response}`}`,
    whose: 'provider',
    subject: providerOf(route),
  }),
  delivered: (route) => ({
    question: 'Was it delivered?',
    answer: `Yes, as ${routeName(route)} reported`,
    whose: 'provider',
    subject: providerOf(route),
  }),
  opened: (route) => ({
    question: 'Was it opened?',
    answer: `Yes, as ${routeName(route)} reported`,
    whose: 'recipient',
    subject: providerOf(route),
  }),
  clicked: (route) => ({
    question: 'Was a link clicked?',
    answer: `Yes, as ${routeName(route)} reported`,
    whose: 'recipient',
    subject: providerOf(route),
  }),
  simulated: (route) => ({
    question: `Was ${routeName(route)} called?`,
    answer: 'No: it was sent with a test key, which calls no provider',
    whose: 'send',
    subject: providerOf(route),
  }),
  waiting: ({ attempts, atMs, untilMs, error, ...route }) => {
    const next = atMs === undefined ? 'it is being called now' : `the next attempt follows at ${shownInstant(atMs)}`;
    const answer = `Not yet: ${attempts} attempts, ${next}, until ${shownInstant(untilMs)}${error === undefined ? '' : `; ${error}`}`;
    return { question: `Did ${routeName(route)} accept it?`, answer, whose: 'provider', subject: providerOf(route) };
  },
  failed: ({ why, error, rule, channel, provider, ...route }, message) => {
    const name = channel && provider ? `${provider} on ${channel}` : (channel ?? '');
    const of = { question: name ? `Did ${name} deliver it?` : 'Could it be sent?', subject: providerOf(route) };
    const words = why && (FAILURES[why.code] as FailureWords<typeof why.code>)(why, message);
    const state = `${error}${rule === undefined ? '' : ` (${rule})`}`;
    return { whose: 'provider', ...words, ...of, answer: `No: ${state}`, stops: name ? `${name}: ${state}` : state };
  },
  canceled: () => ({
    question: 'Was it canceled?',
    answer: 'Yes, before a provider was called',
    whose: 'operator',
    stops: 'it was canceled',
  }),
  archived: () => ({ question: 'Is it archived?', answer: 'Yes: lists show it only on request', whose: 'workspace' }),
};

type FailureWords<Code extends StoredFailure['code']> = (
  failure: DecisionFields[Code],
  message: ExplainedMessage,
) => Pick<DecisionWords, 'whose' | 'remedy'>;

/** Whose a stored failure is, and what helps. The error of its event says what failed. */
const FAILURES: { readonly [Code in StoredFailure['code']]: FailureWords<Code> } = {
  suppressed: ({ reason }, message) => ({
    whose: reason === 'manual' ? 'workspace' : 'recipient',
    remedy: { text: `Remove the suppression if the address of ${shownRecipient(message)} is right.`, link: '/console/suppressions' },
  }),
  uncalled: ({ why }) => ({
    whose: why === 'breaker' || why === 'rate' ? 'provider' : 'operator',
    remedy: { text: 'Look at the provider: its configuration, pause, rate limit and last errors.', link: providerLink },
  }),
  refused: ({ cause }, message) =>
    cause === 'recipient' || cause === 'token'
      ? { whose: 'recipient', remedy: { text: `Correct the address of ${shownRecipient(message)}.`, link: userLink(message) } }
      : { whose: 'provider', remedy: { text: 'Correct the provider or the content, then send the message again.', link: providerLink } },
  exhausted: () => ({ whose: 'provider', remedy: { text: 'When the provider works again, send the message again.', link: providerLink } }),
  unrendered: () => ({
    whose: 'template',
    remedy: { text: 'Correct the content or the data, then send the message again.', link: '/console/templates' },
  }),
  unprocessable: () => ({ whose: 'system' }),
};

export const isFailure = (decision: StoredDecision): decision is StoredFailure => Object.hasOwn(FAILURES, decision.code);

/** A decision in words. */
export function wordsOf(decision: AnyDecision, message: ExplainedMessage): DecisionWords {
  return (WORDS[decision.code] as Words<DecisionCode>)(decision, message);
}
