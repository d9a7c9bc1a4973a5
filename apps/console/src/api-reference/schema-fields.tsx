import { useState } from 'react';
import { apiReference as words } from '../screen-texts/api-reference';
import { Prose } from './prose';
import { type Field, limitsOf, type ObjectForm, objectsOf, type Schema, type Schemas, typeText, valuesOf } from './schema';
import styles from './api-reference.module.css';

/** Of a longer list of values the first are shown. */
const VALUES_MAX = 40;
/** Longer examples are in that of the whole body. */
const EXAMPLE_CHARACTERS_MAX = 100;

/** A schema: its type, and the fields of its objects; deeper ones when they are opened. */
export function SchemaFields({ schema, schemas }: { schema: Schema; schemas: Schemas }) {
  const forms = objectsOf(schema, schemas);
  return (
    <>
      <Rules schema={schema} />
      {forms.map((form, index) => (
        <div key={form.name ?? index}>
          {index > 0 && <p className="quiet">{words.alternative(form.name)}</p>}
          <ObjectFields form={form} schemas={schemas} />
        </div>
      ))}
    </>
  );
}

function ObjectFields({ form: { name, fields, others }, schemas }: { form: ObjectForm; schemas: Schemas }) {
  return (
    <ul className={styles.fields} aria-label={words.fields(name)}>
      {fields.map((field) => (
        <FieldItem key={field.name} field={field} schemas={schemas} />
      ))}
      {others && <FieldItem field={{ name: words.anyName, isRequired: false, schema: others }} schemas={schemas} />}
    </ul>
  );
}

function FieldItem({ field: { name, isRequired, schema }, schemas }: { field: Field; schemas: Schemas }) {
  const forms = objectsOf(schema, schemas);
  return (
    <li>
      <p className={styles.field}>
        <code>{name}</code> {isRequired && <strong className={styles.required}>{words.required}</strong>}
      </p>
      <Rules schema={schema} />
      <Prose text={schema.description} />
      {forms.map((form, index) => (
        <Nested key={form.name ?? index} form={form} of={name} schemas={schemas} />
      ))}
    </li>
  );
}

/** A schema may contain itself: the fields of an object are made when they are opened. */
function Nested({ form, of, schemas }: { form: ObjectForm; of: string; schemas: Schemas }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{words.fields(form.name ?? of)}</summary>
      {isOpen && <ObjectFields form={form} schemas={schemas} />}
    </details>
  );
}

/** The type of a value, its limits, its default and the values that it may have. */
export function Rules({ schema }: { schema: Schema }) {
  const values = valuesOf(schema);
  const [example = null] = schema.examples ?? [];
  const exampleText = example === null ? '' : textOf(example);
  const rules = [...limitsOf(schema), ...(schema.default === undefined ? [] : [words.byDefault(JSON.stringify(schema.default))])];
  return (
    <>
      <p className={styles.rules}>{[typeText(schema), ...rules].join(', ')}</p>
      {values.length > 0 && (
        <p className={styles.rules}>
          {words.oneOf}{' '}
          {values.slice(0, VALUES_MAX).map((value) => (
            <span key={String(value)}>
              <code>{textOf(value)}</code>{' '}
            </span>
          ))}
          {values.length > VALUES_MAX && words.more(values.length - VALUES_MAX)}
        </p>
      )}
      {exampleText !== '' && exampleText.length <= EXAMPLE_CHARACTERS_MAX && (
        <p className={styles.rules}>
          {words.example} <code>{exampleText}</code>
        </p>
      )}
    </>
  );
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
