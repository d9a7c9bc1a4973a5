import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writePlan } from './cluster-plan';
import { noteStartedCluster, startedClusters } from './started-clusters';

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

function clusterFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tidings-clusters-')));
  folders.push(folder);
  writePlan(folder, { clusterId: 'none', engine: 'java', heapMb: 128, ports: [] });
  return folder;
}

it('lists the folders of started clusters once, the latest first, while they have data', () => {
  const [first, second] = [clusterFolder(), clusterFolder()];
  for (const folder of [first, second, first]) noteStartedCluster(folder);
  const ours = (): string[] => startedClusters().filter((one) => folders.includes(one));
  expect(ours()).toEqual([first, second]);

  rmSync(first, { recursive: true });
  expect(ours()).toEqual([second]);
});
