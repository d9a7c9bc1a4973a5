import { preferences as words } from '../screen-texts/preferences';
import { Checks } from '../ui/checks';

export type Channel = keyof typeof words.channels;
const CHANNELS = Object.entries(words.channels) as [Channel, string][];

/** The channels that a preference page offers. */
export function Channels({
  chosen,
  isOff,
  onChange,
}: {
  chosen: readonly Channel[];
  isOff: boolean;
  onChange: (chosen: Channel[]) => void;
}) {
  return <Checks legend={words.fields.channels} options={CHANNELS} chosen={chosen} isOff={isOff} onChange={onChange} />;
}
