import { useEffect, useRef, useSyncExternalStore } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { SeriesPoint } from '../api/types';
import { axisTime } from '../format';
import { useTheme } from '../shell/theme';
import type { Line } from './chart';
import styles from './overview.module.css';

const HEIGHT_PX = 220;
const AXIS_PX = 64;
const TIME_AXIS_PX = 34;
const TIME_SPACE_PX = 80;
/** Radius. */
const POINT_PX = 3;
const dark = matchMedia('(prefers-color-scheme: dark)');

function useSystemIsDark(): boolean {
  return useSyncExternalStore(
    (listener) => {
      dark.addEventListener('change', listener);
      return () => dark.removeEventListener('change', listener);
    },
    () => dark.matches,
  );
}

interface PlotProps {
  name: string;
  points: readonly SeriesPoint[];
  lines: readonly Line[];
  format: (value: number) => string;
}

/** Lines over time, drawn in the colours of the page. */
export function Plot({ name, points, lines, format }: PlotProps) {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(undefined);
  const [theme] = useTheme();
  const systemIsDark = useSystemIsDark();

  useEffect(() => {
    const element = frame.current!;
    const made = new UPlot(optionsOf(element, lines, format), [[]], element);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT_PX }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [lines, format, theme, systemIsDark]);

  useEffect(() => {
    plot.current?.setData([points.map(({ at }) => at / 1_000), ...lines.map(({ valueOf }) => points.map(valueOf))]);
  }, [points, lines, format, theme, systemIsDark]);

  return <div ref={frame} className={styles.plot} role="img" aria-label={name} />;
}

/** The values between gaps: no line leads to them, so each is drawn as a point. */
function withoutLine({ data }: UPlot, line: number): number[] {
  const values = data[line]!;
  const isGap = (index: number) => typeof values[index] !== 'number';
  return Array.from(values, (_value, index) => index).filter((index) => !isGap(index) && isGap(index - 1) && isGap(index + 1));
}

/** Canvas has no variables: colours are those that the variables have where the plot is. */
function optionsOf(element: HTMLElement, lines: readonly Line[], format: (value: number) => string): UPlot.Options {
  const probe = element.ownerDocument.createElement('span');
  element.append(probe);
  const colour = (variable: string) => {
    probe.style.color = `var(${variable})`;
    return getComputedStyle(probe).color;
  };
  const axis = { stroke: colour('--quiet'), grid: { stroke: colour('--line'), width: 1 }, ticks: { stroke: colour('--line') } };
  const options: UPlot.Options = {
    width: element.clientWidth,
    height: HEIGHT_PX,
    legend: { show: false },
    cursor: { drag: { x: false, y: false } },
    scales: { y: { range: (_plot, _low, high) => [0, Math.max(1, (high || 0) * 1.1)] } },
    axes: [
      { ...axis, size: TIME_AXIS_PX, space: TIME_SPACE_PX, values: (_plot, seconds) => seconds.map((second) => axisTime(second * 1_000)) },
      { ...axis, size: AXIS_PX, values: (_plot, values) => values.map(format) },
    ],
    series: [
      {},
      ...lines.map(({ name, colour: variable, dash }) => ({
        label: name,
        stroke: colour(variable),
        width: 2,
        dash,
        points: { show: false, size: 2 * POINT_PX, width: 0, fill: colour(variable), filter: withoutLine },
      })),
    ],
  };
  probe.remove();
  return options;
}
