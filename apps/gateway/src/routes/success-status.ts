import type { AnyOperation } from '@tidings/contracts/core/request-parts';

/** The status of a successful answer, which is JSON text. */
export function successStatus({ status, statusHaving }: Pick<AnyOperation, 'status' | 'statusHaving'>, answer: string | undefined): number {
  if (!statusHaving || answer === undefined) return status;
  const { field, value } = statusHaving;
  const fields = JSON.parse(answer) as Record<string, unknown>;
  const isSo = value === undefined ? field in fields : fields[field] === value;
  return isSo ? statusHaving.status : status;
}
