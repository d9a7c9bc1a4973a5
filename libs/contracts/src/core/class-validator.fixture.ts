import { plainToInstance } from 'class-transformer';
import { type ValidationError, validateSync } from 'class-validator';
import type { Dto } from './operation';
import { cut, keyPath } from './text';
import { violationsOf } from './violations';

/** The instance that the libraries themselves build, or their errors; none of both if they throw. */
export function reference(dto: Dto, plain: object): { instance?: object; errors?: ValidationError[] } {
  try {
    const instance = plainToInstance(dto, structuredClone(plain));
    const errors = validateSync(instance, { whitelist: true, forbidUnknownValues: false });
    return errors.length === 0 ? { instance } : { errors };
  } catch {
    return {}; // validator.js throws at lone surrogates
  }
}

/** The message of `@Fits`, which class-validator sees as one constraint; ours is about the class in it. */
const FITTED = 'does not have the required shape';
/** Sentences that the contracts have beside the constraints' messages, each about a path. */
const OWN_SENTENCES = /^(?<path>.+) (?:is required|must be (?:an object|an array|given) \(got .+\))$/s;

/** The sentences, without the value, that class-validator's errors allow about each path: of a field, or of its elements. */
function allowedSentences(errors: readonly ValidationError[], prefix = ''): Map<string, string[]> {
  return new Map(
    errors.flatMap(({ property, constraints, children }) => {
      const path = /^\d+$/.test(property) ? `${prefix}[${property}]` : keyPath(prefix, property);
      const sentences = Object.values(constraints ?? {}).map((message) => {
        const text = message.replace('must be one of the following values: ', 'must be one of ');
        const start = [`each value in ${property} `, `${property} `].find((each) => text.startsWith(each));
        return start ? ` ${text.slice(start.length)}` : `: ${text}`;
      });
      return [[path, sentences.flatMap((each) => [each, ...limitsOf(each)])] as const, ...allowedSentences(children ?? [], path)];
    }),
  );
}

/** Of an element of the wrong length class-validator names both limits, unless the list itself has fewer elements than that. */
function limitsOf(sentence: string): string[] {
  const [, min, max] = /^ must be (longer than or equal to \d+) and (shorter than or equal to \d+) characters$/.exec(sentence) ?? [];
  return min && max ? [` must be ${min} characters`, ` must be ${max} characters`] : [];
}

/** The sentences of ours that class-validator would not say. */
export function strangeSentences(dto: Dto, plain: object, errors: readonly ValidationError[]): string[] {
  const allowed = allowedSentences(errors);
  return violationsOf(dto, plain).filter((sentence) => {
    if (OWN_SENTENCES.test(sentence)) return false;
    return ![...allowed].some(([path, texts]) => {
      if (!sentence.startsWith(path)) return false;
      const text = sentence.slice(path.length).replace(/^\[\d+\]/, '');
      return texts.some((each) => each.includes(FITTED) || text.startsWith(`${cut(`${path}${each}`, 300).slice(path.length)} (got `));
    });
  });
}
