/** The arguments behind `npm start --`, and their problems. */
import { parseArgs } from 'node:util';
import type { Environment } from '../../../../config/config.ts';

export const USAGE = [
  'npm start -- [--procfile FILE] [--no-demo]',
  '',
  '  --procfile FILE  runs the roles of FILE instead of those of ./Procfile',
  '  --no-demo        makes no demo organization',
  '',
  'Settings are environment variables: docs/operations.md.',
  '',
].join('\n');

const KNOWN_OPTIONS = 'it takes --procfile FILE and --no-demo';
const PROCFILE = 'procfile';
const NO_DEMO = 'no-demo';

export interface StartOptions {
  /** Null: the project's own. */
  readonly procfile: string | null;
  readonly demo: boolean;
  readonly help: boolean;
}

/** The message is one sentence for the operator. */
export class UnknownOption extends Error {}

/** @throws {UnknownOption} */
export function readOptions(words: readonly string[], env: Environment): StartOptions {
  const consumed = consumedByNpm(env);
  if (consumed !== null) {
    throw new UnknownOption(
      `npm keeps ${consumed} for itself; options of npm start stand behind --: npm start -- ${consumed}.`,
    );
  }
  const { values, tokens } = parseArgs({
    args: [...words],
    strict: false,
    tokens: true,
    options: {
      [PROCFILE]: { type: 'string' },
      [NO_DEMO]: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  for (const token of tokens) {
    if (token.kind === 'positional') {
      throw new UnknownOption(`npm start does not know "${token.value}"; ${KNOWN_OPTIONS}.`);
    }
    if (token.kind !== 'option') continue;
    const { name, rawName, value } = token;
    if (name !== PROCFILE && name !== NO_DEMO && name !== 'help') {
      throw new UnknownOption(`npm start does not know ${rawName}; ${KNOWN_OPTIONS}.`);
    }
    if ((name === PROCFILE) !== (value !== undefined && value !== '')) {
      const wants = name === PROCFILE ? 'needs a file' : 'takes no value';
      throw new UnknownOption(`The option ${rawName} of npm start ${wants}.`);
    }
  }
  const procfile = values[PROCFILE];
  return {
    procfile: typeof procfile === 'string' ? procfile : null,
    demo: values[NO_DEMO] !== true,
    help: values.help === true,
  };
}

/** npm silently consumes options in front of `--` as its own settings. */
function consumedByNpm({ npm_config_demo: demo, npm_config_procfile: procfile }: Environment) {
  if (demo !== undefined) return '--no-demo';
  return procfile === undefined ? null : '--procfile FILE';
}
