import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { SLOW_REFRESH_MS } from '../api/refresh';
import type { SeriesPoint } from '../api/types';

const MINUTE_S = 60;
/** Points of a plot; the step is the whole number of minutes that leads to at most as many. */
const POINTS_MAX = 240;

/** The periods of the plots, in minutes. */
export const RANGES = { '1h': 60, '6h': 360, '24h': 1_440, '7d': 10_080 } as const;
export type Range = keyof typeof RANGES;

export function isRange(text: string | undefined): text is Range {
  return text !== undefined && Object.hasOwn(RANGES, text);
}

/** Minutes between the points of a period. */
export function stepMinutes(range: Range): number {
  return Math.ceil(RANGES[range] / POINTS_MAX);
}

export const seriesQuery = (range: Range) =>
  queryOptions({
    queryKey: ['series', range],
    queryFn: async (): Promise<SeriesPoint[]> => {
      const to = Date.now();
      const query = { from: to - RANGES[range] * MINUTE_S * 1_000, to, step: stepMinutes(range) * MINUTE_S };
      const { points } = await answerOf(api.GET('/console/api/stats/series', { params: { query } }));
      return points;
    },
    refetchInterval: SLOW_REFRESH_MS,
  });

export const backlogQuery = queryOptions({
  queryKey: ['backlog'],
  queryFn: () => answerOf(api.GET('/console/api/stats/backlog')),
  refetchInterval: SLOW_REFRESH_MS,
});
