import { createHash } from 'node:crypto';
import { cacheFrame, nameOfFrame } from '../email/frame';
import { cacheMjml } from '../email/mjml';
import type { CompileJob } from '../not-compiled';
import type { RenderPool } from './render-pool';

/** Reads something on a thread of the pool and makes it known here: what ended with `NotCompiled` can then be rendered. Rejects as `RenderPool.run`. */
export async function compileOnPool(pool: RenderPool, workspaceId: string, reading: CompileJob): Promise<void> {
  if (reading.job === 'frame') cacheFrame(reading.input, await pool.run(workspaceId, 'frame', reading.input));
  else cacheMjml(reading.input.source, await pool.run(workspaceId, 'mjml', reading.input));
}

/** Another one for everything that can be read. */
export function nameOfReading({ job, input }: CompileJob): string {
  return job === 'frame' ? `frame ${nameOfFrame(input)}` : `mjml ${createHash('sha256').update(input.source).digest('base64')}`;
}
