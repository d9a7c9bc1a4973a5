import { texts } from '../texts';

interface ActionProps {
  name: string;
  /** The scope that the session lacks for it. */
  missing?: string;
  hint?: string;
  isOff?: boolean;
  onPress: () => void;
}

/** A button that does something. What the key of the session may not do is disabled, and the scope named. */
export function Action({ name, missing, hint, isOff = false, onPress }: ActionProps) {
  const title = missing === undefined ? hint : texts.problems.missingScope(missing);
  return (
    <button type="button" disabled={isOff || missing !== undefined} title={title} onClick={onPress}>
      {name}
    </button>
  );
}
