const NAMES: Record<string, string> = { fatal: 'FATAL', error: 'ERROR', warn: 'WARN ', info: 'info ', debug: 'debug', trace: 'trace' };

interface Entry extends Record<string, unknown> {
  level: string;
  time: string;
  message?: string;
  context?: string;
  error?: { stack?: string; message?: string };
  stack?: string;
}

/** Formats a JSON log line for people: `12:34:56 info  Router  text  name=value`, an error's stack below. */
export function toLine(json: string) {
  const { level, time, message = '', context, error, stack, process: _process, ...fields } = JSON.parse(json) as Entry;
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const head = [time.slice(11, 19), NAMES[level] ?? level, ...(context ? [context.padEnd(10)] : []), message, ...rest].join('  ');
  const below = stack ?? error?.stack ?? error?.message;
  return `${head}\n${below ? `${below.replace(/^/gm, '    ')}\n` : ''}`;
}
