import { outcomeOfInvalid } from '../base-provider';
import type { Accepted, Outcome, RefusedToken } from '../provider';

/** Calls of one message that are open at once. */
const CALLS_AT_ONCE = 8;

/**
 * Makes the calls of a push message to several devices, a few at once, and joins their outcomes: accepted where one was, with the refused
 * tokens of all; a failure of the tokens where all were refused. A call that may pass, beside an accepted one, is not repeated: its
 * repetition would reach the other devices twice. After an outcome that any call would have, no further ones are made.
 * @param parts of the message, at least one.
 */
export async function callEach<Part>(parts: readonly Part[], call: (part: Part) => Promise<Outcome>): Promise<Outcome> {
  if (parts.length === 1) return call(parts[0]!);
  const outcomes: Outcome[] = [];
  const rest = parts.values();
  let stopped = false;
  const work = async () => {
    for (const part of rest) {
      const outcome = await call(part).catch(outcomeOfInvalid);
      outcomes.push(outcome);
      stopped ||= concernsAll(outcome);
      if (stopped) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(CALLS_AT_ONCE, parts.length) }, work));
  return joined(outcomes);
}

/** Whether the call of another device would have the same outcome. */
function concernsAll(outcome: Outcome) {
  if (outcome.kind === 'failed') return outcome.cause === 'configuration';
  return outcome.kind === 'retry' && (outcome.outage === true || outcome.hung === true);
}

function joined(outcomes: readonly Outcome[]): Outcome {
  const refusedTokens = outcomes.flatMap((one): readonly RefusedToken[] => (one.kind === 'retry' ? [] : (one.refusedTokens ?? [])));
  const accepted = outcomes.filter((one): one is Accepted => one.kind === 'accepted');
  const [first] = accepted;
  if (first) {
    const tickets = accepted.flatMap((one) => one.tickets ?? []);
    return {
      ...first,
      delivered: accepted.every(({ delivered }) => delivered),
      ...(refusedTokens.length > 0 && { refusedTokens }),
      ...(tickets.length > 0 && { tickets }),
    };
  }
  const worst =
    outcomes.find((one) => one.kind === 'failed' && one.cause === 'configuration') ??
    outcomes.find(({ kind }) => kind === 'retry') ??
    outcomes.find((one) => one.kind === 'failed' && one.cause !== 'token') ??
    outcomes[0]!;
  return worst.kind === 'failed' && worst.cause === 'token' ? { ...worst, refusedTokens } : worst;
}
