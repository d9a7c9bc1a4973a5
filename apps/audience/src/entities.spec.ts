import { DataSource } from 'typeorm';
import { entityDifferences } from '@tidings/testing/entities-match';
import { sharedAudience } from './testing/start-audience';

it('has entities that say what the migrated schema is', async () => {
  const audience = await sharedAudience();

  await expect(entityDifferences(audience.get(DataSource))).resolves.toEqual([]);
});
