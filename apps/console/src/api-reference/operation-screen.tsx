import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { apiReference as words } from '../screen-texts/api-reference';
import { texts } from '../texts';
import { Empty } from '../ui/empty';
import { Facts } from '../ui/facts';
import { Json } from '../ui/json';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/section';
import { type Column, Table } from '../ui/table';
import { CodeExample } from './code-example';
import { type Answer, groupOf, type Operation, type Parameter, type Reference } from './openapi';
import { OperationLink } from './operation-list';
import { Prose } from './prose';
import { referenceQuery } from './queries';
import { ReferencePage } from './reference-page';
import type { Schemas } from './schema';
import { Rules, SchemaFields } from './schema-fields';
import { TryIt } from './try-it';
import styles from './api-reference.module.css';

const route = getRouteApi('/api-reference/$operation');

/** One operation: what it does, its example, its request and its answers; and a request to try. */
export function OperationScreen() {
  const { operation: slug } = route.useParams();
  const query = useQuery(referenceQuery);
  const { data: reference } = query;
  const operation = reference?.operations.find((one) => one.slug === slug);
  const title = operation ? `${operation.method} ${operation.path}` : reference ? words.unknown : texts.screens.apiReference;
  return (
    <ReferencePage title={title} part="operations" aside={reference && <Groups reference={reference} current={operation} />}>
      <Loaded query={query}>
        {({ schemas }) =>
          operation ? (
            <OperationParts key={slug} operation={operation} schemas={schemas} />
          ) : (
            <Empty title={words.unknown} hint={words.unknownHint}>
              <Link to="/api-reference" className="button">
                {words.all}
              </Link>
            </Empty>
          )
        }
      </Loaded>
    </ReferencePage>
  );
}

/** All operations by resource; those beside the current one are open. */
function Groups({ reference: { groups }, current }: { reference: Reference; current: Operation | undefined }) {
  return (
    <nav aria-label={words.operations} className={styles.groups}>
      {groups.map(([name, operations]) => (
        <details key={name} open={current && groupOf(current) === name}>
          <summary>{name}</summary>
          <ul>
            {operations.map((operation) => (
              <li key={operation.slug}>
                <OperationLink operation={operation} />
              </li>
            ))}
          </ul>
        </details>
      ))}
    </nav>
  );
}

function OperationParts({ operation, schemas }: { operation: Operation; schemas: Schemas }) {
  const { summary, description, scope, isServed, parameters, body, answers, errors } = operation;
  return (
    <>
      <Section title={words.summary}>
        <p>{summary}</p>
        <Prose text={description} />
        <Facts facts={[[words.scope, scope && (words.scopes[scope] ?? <code>{scope}</code>)]]} />
      </Section>
      {isServed && <CodeExample operation={operation} />}
      {isServed && <TryIt operation={operation} />}
      {parameters.length > 0 && (
        <Section title={words.parameters}>
          <ul className={styles.fields}>
            {parameters.map((parameter) => (
              <ParameterItem key={`${parameter.in} ${parameter.name}`} parameter={parameter} />
            ))}
          </ul>
        </Section>
      )}
      {body && (
        <Section title={words.body}>
          <p className="quiet">
            {body.types.join(', ')}. {!body.isRequired && words.bodyOptional}
          </p>
          <SchemaFields schema={body.schema} schemas={schemas} />
        </Section>
      )}
      {answers.length > 0 && <Answers answers={answers} schemas={schemas} />}
      {errors.length > 0 && <Errors errors={errors} schemas={schemas} />}
    </>
  );
}

function ParameterItem({ parameter: { name, in: location, required, schema, description, example } }: { parameter: Parameter }) {
  return (
    <li>
      <p className={styles.field}>
        <code>{name}</code> <span className="quiet">{words.locations[location]}</span>{' '}
        {required && <strong className={styles.required}>{words.required}</strong>}
      </p>
      <Rules schema={example === undefined ? schema : { ...schema, examples: [example] }} />
      <Prose text={description} />
    </li>
  );
}

function Answers({ answers, schemas }: { answers: readonly Answer[]; schemas: Schemas }) {
  const body = answers.find((answer) => answer.body?.example !== undefined)?.body ?? answers[0]?.body;
  return (
    <Section title={words.answer}>
      <p className="quiet">
        {answers.map(({ status }) => status).join(', ')}: {body ? body.types.join(', ') : words.noBody}
      </p>
      {body && <SchemaFields schema={body.schema} schemas={schemas} />}
      {body?.example !== undefined && (
        <>
          <h3>{words.answerExample}</h3>
          <Json value={body.example} name={words.answerExample} />
        </>
      )}
    </Section>
  );
}

const ERROR_COLUMNS: readonly Column<Answer>[] = [
  { header: words.errorColumns.status, cell: ({ status }) => status },
  { header: words.errorColumns.meaning, cell: ({ description }) => description },
];

/** The statuses of errors, and their bodies: nearly all have the same. */
function Errors({ errors, schemas }: { errors: readonly Answer[]; schemas: Schemas }) {
  const bodies = new Map(errors.flatMap(({ body }) => (body ? [[JSON.stringify(body.schema), body.schema] as const] : [])));
  return (
    <Section title={words.errors}>
      <Table name={words.errors} columns={ERROR_COLUMNS} rows={errors} keyOf={({ status }) => status} />
      {[...bodies].map(([key, schema]) => (
        <details key={key}>
          <summary>{words.errorBody}</summary>
          <SchemaFields schema={schema} schemas={schemas} />
        </details>
      ))}
    </Section>
  );
}
