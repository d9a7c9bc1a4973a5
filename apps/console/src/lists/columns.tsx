import { Link } from '@tanstack/react-router';
import type { List } from '../api/types';
import { lists as words } from '../screen-texts/lists';
import type { Column } from '../ui/table';
import { Time } from '../ui/time';

const { columns: headers } = words;

/** What every table of lists shows of a list. */
export const LIST_COLUMNS: readonly Column<List>[] = [
  {
    header: headers.id,
    cell: ({ id }) => (
      <Link to="/lists/$listId" params={{ listId: id }}>
        {id}
      </Link>
    ),
  },
  { header: headers.name, cell: ({ name }) => name },
  { header: headers.created, cell: ({ created }) => <Time at={Date.parse(created)} /> },
];
