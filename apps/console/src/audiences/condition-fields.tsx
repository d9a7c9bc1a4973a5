import { audiences as words } from '../screen-texts/audiences';
import { Action } from '../ui/action';
import { Select } from '../ui/select';
import styles from './audiences.module.css';
import { type FilterCondition, takesSeveral, textOf, valueOf, withOperator } from './filter-tree';

const OPERATORS = Object.entries(words.operators).map(([id, text]) => [id, `${id}: ${text}`] as const);
/** Fields that profiles often have; any other may be named. */
const USUAL_PATHS = ['email', 'phone_number', 'name', 'given_name', 'family_name', 'locale', 'timezone', 'title', 'address.country'];
const BOOLEANS = [
  ['true', 'true'],
  ['false', 'false'],
] as const;

interface ConditionFieldsProps {
  condition: FilterCondition;
  name: string;
  onChange: (condition: FilterCondition) => void;
  onRemove: () => void;
}

/** A condition: path, operator and value. */
export function ConditionFields({ condition, name, onChange, onRemove }: ConditionFieldsProps) {
  const { operator, path } = condition;
  const unknown = operator in words.operators ? [] : [[operator, operator] as const];
  return (
    <div role="group" aria-label={name} className={styles.condition}>
      {operator !== 'MEMBER_OF' && (
        <label>
          {words.path}
          <input
            value={path}
            list="usual-paths"
            spellCheck={false}
            autoCapitalize="none"
            onChange={({ target }) => onChange({ ...condition, path: target.value })}
          />
        </label>
      )}
      <Select
        label={words.operator}
        value={operator}
        options={[...OPERATORS, ...unknown]}
        onChange={(chosen) => onChange(withOperator(condition, chosen))}
      />
      <Value condition={condition} onChange={(value) => onChange({ ...condition, value })} />
      <Action name={words.removePart} label={words.removePartOf(name)} onPress={onRemove} />
    </div>
  );
}

function Value({ condition: { operator, value }, onChange }: { condition: FilterCondition; onChange: (value: unknown) => void }) {
  const text = textOf(value);
  if (operator === 'EXISTS') return <Select label={words.value} value={text || 'true'} options={BOOLEANS} onChange={onChange} />;
  if (takesSeveral(operator))
    return (
      <label>
        {words.values}
        <textarea
          value={text}
          rows={Math.min(8, text.split('\n').length + 1)}
          spellCheck={false}
          onChange={({ target }) => onChange(valueOf(target.value))}
        />
      </label>
    );
  const label = operator === 'MEMBER_OF' ? words.tenant : operator.startsWith('IS_') ? words.date : words.value;
  return (
    <label>
      {label}
      <input value={text} spellCheck={false} autoCapitalize="none" onChange={({ target }) => onChange(target.value)} />
    </label>
  );
}

/** Suggestions for the paths of all conditions of a page. */
export function UsualPaths() {
  return (
    <datalist id="usual-paths">
      {USUAL_PATHS.map((one) => (
        <option key={one} value={one} />
      ))}
    </datalist>
  );
}
