import { hash } from 'node:crypto';
import { cacheFrame, nameOfFrame } from '../email/frame';
import { cacheMjml } from '../email/mjml';
import type { CompileJob } from '../not-compiled';
import type { RenderPool } from './render-pool';

/** Compiles on a pool thread and caches the result here: a rendering that ended with `NotCompiled` can then run. Rejects as `RenderPool.run`. */
export async function compileOnPool(pool: RenderPool, workspaceId: string, { job, input }: CompileJob): Promise<void> {
  if (job === 'frame') cacheFrame(input, await pool.run(workspaceId, 'frame', input));
  else cacheMjml(input, await pool.run(workspaceId, 'mjml', input));
}

/** Unique name of a compile job. */
export function compileJobName({ job, input }: CompileJob): string {
  return job === 'frame' ? `frame ${nameOfFrame(input)}` : `mjml ${hash('sha256', input, 'base64')}`;
}
