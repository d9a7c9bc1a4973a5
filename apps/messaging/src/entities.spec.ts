import { DataSource } from 'typeorm';
import { entityDifferences } from '@tidings/testing/entities-match';
import { ProvidersUnderTest } from './testing/start-providers';

it('has entities that match the migrated schema', async () => {
  const { service } = await ProvidersUnderTest.start();

  const differences = await entityDifferences(service.get(DataSource));

  await service.stop();
  expect(differences).toEqual([]);
});
