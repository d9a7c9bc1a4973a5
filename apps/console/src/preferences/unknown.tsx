import { Link } from '@tanstack/react-router';
import { preferences as words } from '../screen-texts/preferences';
import { texts } from '../texts';
import { Empty } from '../ui/empty';

/** A section or topic that there is not, or not any more. */
export function Unknown({ title }: { title: string }) {
  return (
    <Empty title={title} hint={texts.problems.notFound}>
      <Link to="/preferences" className="button">
        {words.all}
      </Link>
    </Empty>
  );
}
