import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { AudienceCount } from '../api/types';
import { audiences as words } from '../screen-texts/audiences';
import { Problem } from '../ui/problem';
import { useSettled } from '../ui/settled';
import styles from './audiences.module.css';
import { type FilterGroup, filterOf, isComplete } from './filter-tree';
import { countQuery } from './queries';

/** Matches are counted up to here. */
const COUNTED_MAX = 1_000;

/** How many users the filter matches, and the first of them, while it is edited. */
export function MatchingUsers({ tree }: { tree: FilterGroup }) {
  const settled = useSettled(tree);
  const filter = filterOf(settled);
  const isReady = filter !== null && isComplete(settled);
  const { data, error, isFetching, isPlaceholderData } = useQuery({ ...countQuery(filter), enabled: isReady });
  const isOld = settled !== tree || isPlaceholderData || isFetching;
  return (
    <div className={styles.matching}>
      <p role="status" aria-label={words.matching}>
        {!isReady ? (filter === null ? words.noConditions : words.incomplete) : isOld ? words.counting : data && sentence(data)}
      </p>
      {isReady && !isOld && error && <Problem error={error} />}
      {isReady && !error && data && data.users.length > 0 && (
        <p className="quiet">
          {words.examples} <Examples users={data.users} />
        </p>
      )}
    </div>
  );
}

function sentence({ matched, evaluated, complete }: AudienceCount) {
  if (complete) return words.matched(matched, evaluated);
  return matched >= COUNTED_MAX ? words.matchedMany(matched) : words.matchedAtLeast(matched, evaluated);
}

function Examples({ users }: { users: readonly string[] }) {
  return users.map((userId, index) => (
    <span key={userId}>
      {index > 0 && ', '}
      <Link to="/users/$userId" params={{ userId }}>
        {userId}
      </Link>
    </span>
  ));
}
