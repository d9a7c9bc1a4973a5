import { Link } from '@tanstack/react-router';
import styles from './templates.module.css';

/** Tags, each leading to the templates that have it. */
export function Tags({ tags }: { tags: readonly string[] }) {
  return tags.map((tag) => (
    <Link key={tag} className={styles.tag} to="/templates" search={{ query: tag }}>
      {tag}
    </Link>
  ));
}
