import type { ReactNode } from 'react';
import { useIsOperator } from '../api/session';
import { texts } from '../texts';
import { Empty } from '../ui/empty';

/** What operators alone may see; others see who may, and with which key. */
export function OperatorsOnly({ children }: { children: ReactNode }) {
  if (useIsOperator()) return children;
  return <Empty title={texts.deadLetters.operators} hint={texts.deadLetters.operatorsHint} command="tidings dead-letters list" />;
}
