/** Reader of the logs below a data folder, by event. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { isLogEvent, type LogEvent } from '../../../shared/log-events.ts';

const LineSchema = v.pipe(v.string(), v.parseJson(), v.looseObject({ msg: v.string() }));

export type LoggedLine = v.InferOutput<typeof LineSchema>;

/**
 * The lines of that event, of every process of the role. A line that is not yet whole is left out.
 * @param role of every role where it is left out
 */
export function loggedLines(dataDir: string, event: LogEvent, role = ''): readonly LoggedLine[] {
  const logs = join(dataDir, 'logs');
  return readdirSync(logs)
    .filter((name) => name.startsWith(role))
    .flatMap((name) => readFileSync(join(logs, name), 'utf8').split('\n'))
    .filter((line) => line.includes(event))
    .flatMap((line) => {
      const parsed = v.safeParse(LineSchema, line);
      return parsed.success && isLogEvent(parsed.output.msg, event) ? [parsed.output] : [];
    });
}
