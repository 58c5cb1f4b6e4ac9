/** The text of one flow: parsed, written and judged by the parts of `apply` and `export`. */
import type { FlowProblem, FlowText, ParsedFlow } from '../../../../shared/panel/flow-text.ts';
import type { ProblemAt } from '../../../../shared/problems/provisioning.ts';
import { writeYaml } from '../output/yaml-writer.ts';
import { BadInput, problemsOf } from '../service/failure.ts';
import { type ParsedText, parseProvisioningText, UnreadableText } from './parser.ts';
import { locateProblems } from './problems.ts';

const NAME = 'the flow';
/** Path of the entry in a whole file. */
const IN_FILE = 'orgs.0.flows.0';

export const flowText: FlowText = {
  write: writeYaml,
  parse(written) {
    try {
      return parsedFlow(parseProvisioningText(written, NAME));
    } catch (cause) {
      if (!(cause instanceof BadInput)) throw cause;
      return { unreadable: unreadableIn(cause) };
    }
  },
};

function unreadableIn(cause: BadInput): readonly FlowProblem[] {
  if (cause instanceof UnreadableText) {
    return cause.problems.map(({ position, problem }) => ({ path: '', problem, ...position }));
  }
  return problemsOf(cause).map((each) => ({ ...each, line: 1, column: 1 }));
}

function parsedFlow({ raw, locate }: ParsedText): ParsedFlow {
  // The names that a flow may have are those of the file's schema.
  const file: ParsedText = {
    raw: { orgs: [{ flows: [raw] }] },
    locate: (path, part) => locate(within(path, IN_FILE) ?? '', part),
  };
  return {
    entry: raw,
    problems(issues) {
      const asInFile = issues.map(({ path, problem }) => ({ path: `orgs.0.${path}`, problem }));
      return locateProblems(file, asInFile).map(({ position, ...found }) =>
        placed(found, within(found.path, IN_FILE) === null ? null : position),
      );
    },
  };
}

function placed(
  { path, problem }: ProblemAt,
  position: { readonly line: number; readonly column: number } | null,
): FlowProblem {
  const own = within(path, IN_FILE) ?? path.replace(/^orgs\.0\.?/, '');
  const { line = null, column = null } = position ?? {};
  return { path: own, problem, line, column };
}

/** The rest of a path behind its beginning; null for a path elsewhere. */
function within(path: string, beginning: string): string | null {
  if (path === beginning) return '';
  return path.startsWith(`${beginning}.`) ? path.slice(beginning.length + 1) : null;
}
