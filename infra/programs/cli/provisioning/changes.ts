/** The output of `recado apply FILE --diff`. */
import * as v from 'valibot';
import { ServiceFailed } from '../service/failure.ts';
import type { ApplyContext, Provisioned } from './apply.ts';
import { checkSource } from './apply.ts';

const changeSchema = v.object({
  path: v.string(),
  list: v.nullable(v.string()),
  ref: v.nullable(v.string()),
  change: v.picklist(['add', 'change', 'remove']),
  secret: v.optional(v.literal(true)),
  before: v.optional(v.unknown()),
  after: v.optional(v.unknown()),
});

const answerSchema = v.object({ changes: v.array(changeSchema), more: v.number() });

type Change = v.InferOutput<typeof changeSchema> & { readonly org: string };

export interface Changes {
  readonly changes: readonly Change[];
  /** Number of changes that the service did not list one by one; absent where it listed all. */
  readonly more?: number;
}

/** The changes that applying the file would make; none is made. */
export async function changesOf(source: Provisioned, context: ApplyContext): Promise<Changes> {
  const outputs = await checkSource(source, context, { diff: true });
  const reported = outputs.map(([org, output]) => {
    const read = v.safeParse(answerSchema, output);
    if (read.success) return { org, ...read.output };
    throw new ServiceFailed('The running service is older than this command: it tells no changes.');
  });
  const more = reported.reduce((sum, each) => sum + each.more, 0);
  return {
    changes: reported.flatMap(({ org, changes }) => changes.map((change) => ({ org, ...change }))),
    ...(more > 0 && { more }),
  };
}

const SIGNS = { add: '+', change: '~', remove: '-' } as const;
/** Of a value, so that a line has a hundred columns unless its path is long. */
const SHOWN_CHARS = 36;

function shown(value: unknown): string {
  const chars = [...JSON.stringify(value ?? null)];
  return chars.length <= SHOWN_CHARS ? chars.join('') : `${chars.slice(0, SHOWN_CHARS).join('')}…`;
}

function line({ path, change, secret, before, after }: Change): string {
  const what = `  ${SIGNS[change]} ${path === '' ? '(the organization)' : path}`;
  if (change !== 'change') return what;
  return `${what}: ${secret ? 'a secret' : `${shown(before)} → ${shown(after)}`}`;
}

/** `+` is created, `~` changed, `-` removed. */
export function renderChanges({ changes, more = 0 }: Changes): string {
  const orgs = [...new Set(changes.map(({ org }) => org))];
  const lines = orgs.flatMap((org) => [
    org,
    ...changes.filter((change) => change.org === org).map(line),
  ]);
  const count = changes.length + more;
  if (more > 0) lines.push(`and ${more} more`);
  const sum = count === 0 ? 'Nothing would change.' : `${count} change${count === 1 ? '' : 's'}.`;
  return `${[...lines, `${sum} Nothing was applied.`].join('\n')}\n`;
}
