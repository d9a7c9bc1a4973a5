import type { CallContext } from '@tidings/contracts/core/context';
import { preferenceSections } from '@tidings/contracts/identity/preference-sections';
import { type PreferenceTopic, preferenceTopics, type TopicFields } from '@tidings/contracts/identity/preference-topics';
import type { RunningIdentity } from './start-identity';

/** Creates a topic, `OPTED_IN` by default, in a section of its own unless one is given. */
export async function buildTopic(
  call: RunningIdentity['call'],
  context: CallContext,
  { section_id, ...overrides }: Partial<TopicFields> & { section_id?: string } = {},
): Promise<PreferenceTopic & { section_id: string }> {
  const section = section_id ?? (await call(preferenceSections.create, context, { name: 'Orders' })).id;
  const fields: TopicFields = { name: 'Order updates', default_status: 'OPTED_IN', ...overrides };
  return { section_id: section, ...(await call(preferenceTopics.create, context, { section_id: section, ...fields })) };
}
