import { DataSource } from 'typeorm';
import { entityDifferences } from '@tidings/testing/entities-match';
import { sharedContent } from './testing/start-content';

it('has entities that say what the migrated schema is', async () => {
  const content = await sharedContent();

  await expect(entityDifferences(content.get(DataSource))).resolves.toEqual([]);
});
