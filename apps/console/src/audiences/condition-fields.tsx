import { audiences as words } from '../screen-texts/audiences';
import { Action } from '../ui/action';
import styles from '../ui/form.module.css';
import { Select } from '../ui/select';
import { TextField } from '../ui/text-field';
import { type FilterCondition, takesSeveral, textOf, valueOf, withOperator } from './filter-tree';

const OPERATORS = Object.entries(words.operators).map(([id, text]) => [id, `${id}: ${text}`] as const);
/** Fields that profiles often have; any other may be named. */
const USUAL_PATHS = ['email', 'phone_number', 'name', 'given_name', 'family_name', 'locale', 'timezone', 'title', 'address.country'];
const ROWS_MAX = 8;
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
    <div role="group" aria-label={name} className={styles.row}>
      {operator !== 'MEMBER_OF' && (
        <TextField
          label={words.path}
          value={path}
          suggestions={USUAL_PATHS}
          onChange={(changed) => onChange({ ...condition, path: changed })}
        />
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
  if (takesSeveral(operator)) {
    const rows = Math.min(ROWS_MAX, text.split('\n').length + 1);
    return <TextField label={words.values} value={text} rows={rows} onChange={(changed) => onChange(valueOf(changed))} />;
  }
  const label = operator === 'MEMBER_OF' ? words.tenant : operator.startsWith('IS_') ? words.date : words.value;
  return <TextField label={label} value={text} onChange={onChange} />;
}
