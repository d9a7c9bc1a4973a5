/** A description, with the texts between its backticks as code. */
export function Prose({ text }: { text: string | undefined }) {
  if (!text) return null;
  return <p>{text.split(/`([^`]+)`/).map((part, index) => (index % 2 === 1 ? <code key={`${index} ${part}`}>{part}</code> : part))}</p>;
}
