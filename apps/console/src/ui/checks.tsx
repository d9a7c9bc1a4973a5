import styles from './form.module.css';

interface CheckProps {
  label: string;
  isChecked: boolean;
  isOff?: boolean;
  onChange: (isChecked: boolean) => void;
}

/** A box of a form. */
export function Check({ label, isChecked, isOff, onChange }: CheckProps) {
  return (
    <label className={styles.check}>
      <input type="checkbox" checked={isChecked} disabled={isOff} onChange={({ target }) => onChange(target.checked)} /> {label}
    </label>
  );
}

interface ChecksProps<Value extends string> {
  legend: string;
  options: readonly (readonly [value: Value, text: string])[];
  chosen: readonly Value[];
  isOff?: boolean;
  onChange: (chosen: Value[]) => void;
}

/** A choice of several, in the order of the options. */
export function Checks<Value extends string>({ legend, options, chosen, isOff, onChange }: ChecksProps<Value>) {
  const change = (value: Value, isChecked: boolean) =>
    onChange(options.map(([one]) => one).filter((one) => (one === value ? isChecked : chosen.includes(one))));
  return (
    <fieldset className={styles.checks}>
      <legend>{legend}</legend>
      {options.map(([value, text]) => (
        <Check key={value} label={text} isChecked={chosen.includes(value)} isOff={isOff} onChange={(isOn) => change(value, isOn)} />
      ))}
    </fieldset>
  );
}
