/** The cause of a role's end: the last error in its log. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import * as v from 'valibot';
import { sentenceOf } from '../../../../adapters/log/sentence.ts';

const READ_MAX_BYTES = 32 * 1024;
const ERROR_MAX_CHARS = 200;

const lineSchema = v.object({
  level: v.literal('error'),
  error: v.union([
    v.string(),
    v.pipe(
      v.object({ message: v.string() }),
      v.transform((e) => e.message),
    ),
  ]),
});

/** `: …` in one line, or nothing. @param from the log's size when the process was started */
export function lastError(logFile: string, from: number): string {
  const [entry] = linesAfter(logFile, from)
    .toReversed()
    .flatMap((line) => errorIn(line) ?? []);
  const [first = ''] = entry?.split('\n') ?? [];
  return first === '' ? '' : `: ${sentenceOf(first).slice(0, ERROR_MAX_CHARS)}`;
}

function linesAfter(logFile: string, from: number): readonly string[] {
  try {
    const file = openSync(logFile, 'r');
    try {
      const { size } = fstatSync(file);
      const start = Math.max(from, size - READ_MAX_BYTES);
      const bytes = Buffer.alloc(Math.max(0, size - start));
      readSync(file, bytes, 0, bytes.length, start);
      return bytes.toString('utf8').split('\n');
    } finally {
      closeSync(file);
    }
  } catch {
    // A missing log has no errors.
    return [];
  }
}

function errorIn(line: string): string | null {
  try {
    const read = v.safeParse(lineSchema, JSON.parse(line));
    return read.success ? read.output.error : null;
  } catch {
    // A line of another program, or a part of one.
    return null;
  }
}
