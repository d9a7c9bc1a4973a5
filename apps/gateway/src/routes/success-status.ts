import type { AnyOperation } from '@tidings/contracts/core/request-parts';

/** The status of a successful answer (JSON text), which may depend on a field of it. */
export function successStatus({ status, statusHaving }: Pick<AnyOperation, 'status' | 'statusHaving'>, answer: string | undefined): number {
  if (!statusHaving || answer === undefined) return status;
  const { field, value } = statusHaving;
  const fields = JSON.parse(answer) as Record<string, unknown>;
  const matches = value === undefined ? field in fields : fields[field] === value;
  return matches ? statusHaving.status : status;
}
