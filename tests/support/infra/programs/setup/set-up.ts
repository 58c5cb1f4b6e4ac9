/**
 * Runs a function of the set-up as `npm start` does: in a process of its own, with the Node.js that
 * is there. It ends with what it printed, or fails with what it refused.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../../../../infra/tools/source.ts';

export interface SetUpCall {
  /** Below `infra/programs/setup`. */
  readonly module: string;
  /** An expression over what the module exports (`setUp`) and the values (`given`). */
  readonly call: string;
  readonly given: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** The sentences that were printed; rejects with the refusal. */
export async function runSetUp({ module, call, given, env = {} }: SetUpCall): Promise<string> {
  const text = `
    import * as setUp from ${JSON.stringify(join(ROOT, 'infra/programs/setup', module))};
    const given = JSON.parse(process.argv[1]);
    try {
      await ${call};
    } catch (error) {
      process.stderr.write([error.message, error.cause?.message ?? ''].join('\\n'));
      process.exitCode = 1;
    }`;
  const args = ['--input-type=module', '--eval', text, JSON.stringify(given)];
  const ran = promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env } });
  try {
    return (await ran).stdout;
  } catch (cause) {
    throw new Error(String(Reflect.get(Object(cause), 'stderr')), { cause });
  }
}
