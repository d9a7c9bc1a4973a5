import type { JsonSchema } from '@tidings/contracts/core/json-schema';
import { curlCode } from './code/curl';
import { nodeCode } from './code/node';
import { pythonCode } from './code/python';
import { type Described, type OpenApiDocument, servedOperations } from './documented-operations';
import { type Example, exampleOf } from './example-of';

/** An example in a language, in the form in which readers of OpenAPI documents know it. */
export interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

/** The call of an example in each language. */
export function codeSamples(example: Example): CodeSample[] {
  return [
    { lang: 'Shell', label: 'curl', source: curlCode(example) },
    { lang: 'JavaScript', label: 'Node', source: nodeCode(example) },
    { lang: 'Python', label: 'Python', source: pythonCode(example) },
  ];
}

/** A copy of an OpenAPI document in which each served operation has its call in each language, and an example of its answer. */
export function withExamples(document: JsonSchema): JsonSchema {
  const { paths, components } = document as unknown as OpenApiDocument;
  const examples = new Map(
    servedOperations(document).map((operation) => [operation.operationId, exampleOf(operation, components.schemas)] as const),
  );
  const exemplified = (operation: Described) => {
    const example = examples.get(operation.operationId);
    return example ? { ...operation, responses: withAnswer(operation, example), 'x-codeSamples': codeSamples(example) } : operation;
  };
  const changed = Object.entries(paths).map(([path, verbs]) => [
    path,
    Object.fromEntries(Object.entries(verbs).map(([verb, operation]) => [verb, exemplified(operation)])),
  ]);
  return { ...document, paths: Object.fromEntries(changed) as JsonSchema };
}

function withAnswer({ responses }: Described, { status, type, answer }: Example) {
  if (type === undefined) return responses;
  const { content = {}, ...success } = responses[status]!;
  return { ...responses, [status]: { ...success, content: { ...content, [type]: { ...content[type], example: answer } } } };
}
