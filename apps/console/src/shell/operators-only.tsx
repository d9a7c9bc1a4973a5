import type { ReactNode } from 'react';
import { useIsOperator } from '../api/session';
import { Empty } from '../ui/empty';
import { Heading } from '../ui/heading';

interface OperatorsOnlyProps {
  /** The heading for others, where the children have one of their own. */
  title?: string;
  words: { operators: string; operatorsHint: string };
  /** The command of the operators' shell that shows the same. */
  command: string;
  children: ReactNode;
}

/** What operators alone may see; others see who may, and with which key. */
export function OperatorsOnly({ title, words, command, children }: OperatorsOnlyProps) {
  if (useIsOperator()) return children;
  return (
    <>
      {title !== undefined && <Heading title={title} />}
      <Empty title={words.operators} hint={words.operatorsHint} command={command} />
    </>
  );
}
