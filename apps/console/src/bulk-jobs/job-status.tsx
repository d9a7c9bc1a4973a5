import type { BulkJobSummary } from '../api/types';
import { Badge, type Tone } from '../ui/status';

type Status = BulkJobSummary['status'];
const TONES: Readonly<Record<Status, Tone>> = { CREATED: 'neutral', PROCESSING: 'pending', COMPLETED: 'good', ERROR: 'bad' };

/** The status of a bulk job, as written in the interface. */
export function JobStatus({ status }: { status: Status }) {
  return <Badge tone={TONES[status]}>{status}</Badge>;
}
