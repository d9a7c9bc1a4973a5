import type { AnyOperation } from '@tidings/contracts/core/request-parts';

/** The status of a successful answer, which is JSON text. */
export function successStatus({ status, statusHaving }: Pick<AnyOperation, 'status' | 'statusHaving'>, answer: string | undefined): number {
  if (!statusHaving || answer === undefined) return status;
  return statusHaving.field in (JSON.parse(answer) as object) ? statusHaving.status : status;
}
