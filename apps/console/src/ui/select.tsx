import { Button, Label, ListBox, ListBoxItem, Popover, Select as AriaSelect, SelectValue } from 'react-aria-components';
import styles from './select.module.css';

interface SelectProps {
  label: string;
  value: string;
  options: readonly (readonly [value: string, text: string])[];
  onChange: (value: string) => void;
}

/** A choice of one among several. */
export function Select({ label, value, options, onChange }: SelectProps) {
  return (
    <AriaSelect className={styles.select} value={value} onChange={(chosen) => onChange(String(chosen))}>
      <Label>{label}</Label>
      <Button>
        <SelectValue />
        <span aria-hidden="true">▾</span>
      </Button>
      <Popover className={styles.popover}>
        <ListBox className={styles.list}>
          {options.map(([id, text]) => (
            <ListBoxItem key={id} id={id} textValue={text} className={styles.option}>
              {text}
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}
