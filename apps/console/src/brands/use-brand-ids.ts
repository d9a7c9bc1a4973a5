import { useQuery } from '@tanstack/react-query';
import { hasScope, useSession } from '../api/session';
import { brandsPageQuery } from './queries';

/** Ids of brands to suggest; none where the session may not see them. */
export function useBrandIds(): readonly string[] | undefined {
  const seesBrands = hasScope(useSession(), 'read:brands');
  const { data } = useQuery({ ...brandsPageQuery(undefined), enabled: seesBrands });
  return data?.results.map(({ id }) => id);
}
