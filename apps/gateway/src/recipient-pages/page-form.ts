import { CHANNEL_CLASSES, type ChannelClass } from '@tidings/contracts/core/channels';
import { TOPIC_ID_LENGTH_MAX } from '@tidings/contracts/core/preferences';
import { TOPICS_PER_WORKSPACE_MAX } from '@tidings/contracts/identity/preference-topics';
import type { PageChoice } from '@tidings/contracts/identity/recipient-choices';
import { FIELDS } from './page-html';

/**
 * The choices of a posted preference form, one for each shown topic. A topic is opted out of where it is not ticked, or none of its
 * offered channels is; where all of them are, any channel may be used.
 */
export function choicesOf(form: URLSearchParams): PageChoice[] {
  const optedIn = new Set(form.getAll(FIELDS.optedIn));
  const offered = new Map(form.getAll(FIELDS.offered).map(pairOf));
  const channels = new Map<string, ChannelClass[]>();
  for (const [topic, name] of form.getAll(FIELDS.channel).map(pairOf)) {
    const channel = CHANNEL_CLASSES.find((one) => one === name);
    const chosen = channels.get(topic) ?? [];
    if (channel && !chosen.includes(channel)) channels.set(topic, [...chosen, channel]);
  }
  const shown = [...new Set(form.getAll(FIELDS.shown))].filter((id) => id !== '' && id.length <= TOPIC_ID_LENGTH_MAX);
  return shown.slice(0, TOPICS_PER_WORKSPACE_MAX).map((topic_id) => {
    const choice = { topic_id, status: optedIn.has(topic_id) ? 'OPTED_IN' : 'OPTED_OUT' } as const;
    const count = offered.get(topic_id);
    if (count === undefined) return choice;
    const chosen = channels.get(topic_id);
    if (!chosen) return { topic_id, status: 'OPTED_OUT' };
    return { ...choice, channels: chosen.length === Number(count) ? [] : chosen };
  });
}

/** The two parts of `topic channel`. */
function pairOf(text: string): [string, string] {
  const at = text.lastIndexOf(' ');
  return [text.slice(0, Math.max(0, at)), text.slice(at + 1)];
}
