import { texts } from '../texts';
import { Empty } from '../ui/empty';
import { Heading } from '../ui/heading';

export function NotFound() {
  return (
    <>
      <Heading title={texts.shell.notFound} />
      <Empty title={texts.shell.notFound} hint={texts.shell.notFoundHint} />
    </>
  );
}
