import { DataSource } from 'typeorm';
import { entityDifferences } from '@tidings/testing/entities-match';
import { sharedIdentity } from './testing/start-identity';

it('has entities that agree with the migrated schema', async () => {
  const identity = await sharedIdentity();

  await expect(entityDifferences(identity.get(DataSource))).resolves.toEqual([]);
});
