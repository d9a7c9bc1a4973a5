import { useQuery } from '@tanstack/react-query';
import type { Decision, DecisionSubject, Explanation, Message, NextAttempt } from '../api/types';
import { message as words } from '../screen-texts/message';
import { SCREENS } from '../shell/navigation';
import { ResourceLink } from '../shell/resource-link';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/section';
import { Badge, type Tone } from '../ui/status';
import { Time } from '../ui/time';
import styles from './message.module.css';
import { explainQuery } from './queries';

const TONES: Readonly<Record<Explanation['outcome'], Tone>> = {
  delivered: 'good',
  sent: 'good',
  simulated: 'neutral',
  waiting: 'pending',
  not_sent: 'bad',
  failed: 'bad',
  canceled: 'neutral',
};

/** Why a message was or was not delivered: a sentence, then each decision with whose it was, and what comes next. */
export function Explain({ message }: { message: Message }) {
  const query = useQuery(explainQuery(message));
  return (
    <Section title={words.explain}>
      <Loaded query={query}>
        {({ sentence, outcome, source, decisions, next_attempt: next, remedies }) => (
          <>
            <p className={styles.sentence}>
              <Badge tone={TONES[outcome]}>{words.outcomes[outcome]}</Badge> {sentence}
            </p>
            {source === 'history' && <p className="quiet">{words.fromHistory}</p>}
            {next && <Next attempt={next} />}
            {remedies.length > 0 && <Remedies remedies={remedies} />}
            {decisions.length > 0 && <Decisions decisions={decisions} />}
          </>
        )}
      </Loaded>
    </Section>
  );
}

function Next({ attempt: { at, provider, channel, until, error } }: { attempt: NextAttempt }) {
  const route = [channel, provider].filter(Boolean).join(' · ');
  return (
    <div>
      <h3>{words.next}</h3>
      <p>
        {!at ? words.nextNow : words.nextAt} {at && <Time at={at} />}
        {route && ` ${words.nextBy} ${route}`}
        {until && (
          <>
            , {words.until} <Time at={until} />
          </>
        )}
      </p>
      {error && <p className="quiet">{error}</p>}
    </div>
  );
}

/** Whether a path leads to a screen that there is. */
function isOfScreen(link: string): boolean {
  return SCREENS.some(([to]) => `${link}/`.startsWith(`/console${to}/`));
}

/** What would help. */
export function Remedies({ remedies }: Pick<Explanation, 'remedies'>) {
  return (
    <div>
      <h3>{words.remedies}</h3>
      <ul className={styles.bullets}>
        {remedies.map(({ text, link }) => (
          <li key={text}>{link && isOfScreen(link) ? <a href={link}>{text}</a> : text}</li>
        ))}
      </ul>
    </div>
  );
}

/** The decisions about a message in their order, each with whose it was. */
export function Decisions({ decisions }: { decisions: readonly Decision[] }) {
  return (
    <div>
      <h3>{words.decisions}</h3>
      <ol className={styles.decisions}>
        {decisions.map(({ question, answer, whose, rule, subject }, index) => (
          <li key={index}>
            <p className="quiet">{question}</p>
            <p>{answer}</p>
            <p className={styles.owner}>
              <span>{words.decidedBy(words.whose[whose])}</span> <code>{rule}</code>
              {subject && <Subject subject={subject} />}
            </p>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** What a decision is about; it leads to its page, or to the messages with it. */
function Subject({ subject: { kind, id } }: { subject: DecisionSubject }) {
  return (
    <ResourceLink kind={kind} id={id}>
      {`${words.subjects[kind]} ${id}`}
    </ResourceLink>
  );
}
