/**
 * `recado apply`: a provisioning file applied, checked (`--check`), compared with the stored state
 * (`--diff`), and its format (`--schema`, `--reference`).
 */
import type { Command } from 'commander';
import { type ApplyContext, applySource, checkSource } from './apply.ts';
import { changesOf, renderChanges } from './changes.ts';
import { BadInput, badInput } from './failure.ts';
import { problemsIn } from './problems.ts';
import { provisioningSchema } from './reference/json-schema.ts';
import { referencePage } from './reference/page.ts';
import { type Invocation, readSource } from './source.ts';

export interface ApplyCommandContext extends ApplyContext {
  readonly invocation: Invocation;
  /** Standard output. */
  readonly write: (text: string) => void;
}

interface Options {
  readonly check?: true;
  readonly diff?: true;
  readonly schema?: true;
  readonly reference?: true;
}

type Printed = { readonly value: unknown; readonly text: string };

async function judged(file: string, options: Options, context: ApplyCommandContext) {
  const source = await readSource(file, context.invocation);
  if (source.isTruncated) {
    const is = 'does not end with a line break';
    context.log.warn({}, `${source.name} ${is}: is it whole? What it leaves out stays as it is.`);
  }
  try {
    return await printed(source, options, context);
  } catch (cause) {
    throw cause instanceof BadInput ? problemsIn(source, cause.issues) : cause;
  }
}

async function printed(
  source: Parameters<typeof applySource>[0] & { readonly name: string },
  { check, diff }: Options,
  context: ApplyCommandContext,
): Promise<Printed> {
  if (diff) {
    const changes = await changesOf(source, context);
    return { value: changes, text: renderChanges(changes) };
  }
  if (check) {
    const outputs = await checkSource(source, context, { diff: false });
    const orgs = outputs.map(([ref]) => ref);
    const text = `${source.name}: no problem found (${orgs.join(', ')}). Nothing was applied.\n`;
    return { value: { ok: true, orgs }, text };
  }
  const value = await applySource(source, context);
  return { value, text: `${JSON.stringify(value, null, 2)}\n` };
}

export function addApply(program: Command, context: ApplyCommandContext): void {
  program
    .command('apply')
    .description('creates or updates organizations from a YAML or JSON file (docs/provisioning.md)')
    .argument('[file]', 'the file, or - for standard input')
    .option('--check', 'change nothing: tell every problem')
    .option('--diff', 'change nothing: show what would change')
    .option('--schema', 'print the JSON Schema of such a file, for editors')
    .option('--reference', 'print the reference of such a file, in Markdown')
    .action(async (file: string | undefined, options: Options) => {
      if (options.reference) return context.write(referencePage());
      if (options.schema) {
        return context.write(`${JSON.stringify(provisioningSchema(), null, 2)}\n`);
      }
      if (file === undefined) throw badInput('', 'apply needs a file, or - for standard input');
      const { value, text } = await judged(file, options, context);
      const { json } = program.opts<{ json?: boolean }>();
      context.write(json === true ? `${JSON.stringify(value)}\n` : text);
    });
}
