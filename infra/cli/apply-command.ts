/**
 * `recado apply`: a provisioning file applied, checked (`--check`), compared with what is stored
 * (`--diff`), and what such a file may hold (`--schema`, `--reference`).
 */
import type { Command } from 'commander';
import { type Applying, applySource, checkSource } from './apply.ts';
import { changesOf, renderChanges } from './changes.ts';
import { BadInput, badInput } from './failure.ts';
import { problemsIn } from './problems.ts';
import { provisioningSchema } from './reference/json-schema.ts';
import { referencePage } from './reference/page.ts';
import { type Place, readSource } from './source.ts';

export interface ApplySurroundings extends Applying {
  readonly place: Place;
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

async function judged(file: string, options: Options, applying: ApplySurroundings) {
  const source = await readSource(file, applying.place);
  if (source.isUnended) {
    const is = 'does not end with a line break';
    applying.log.warn({}, `${source.name} ${is}: is it whole? What it leaves out stays as it is.`);
  }
  try {
    return await printed(source, options, applying);
  } catch (cause) {
    throw cause instanceof BadInput ? problemsIn(source, cause.issues) : cause;
  }
}

async function printed(
  source: Parameters<typeof applySource>[0] & { readonly name: string },
  { check, diff }: Options,
  applying: ApplySurroundings,
): Promise<Printed> {
  if (diff) {
    const changes = await changesOf(source, applying);
    return { value: changes, text: renderChanges(changes) };
  }
  if (check) {
    const outputs = await checkSource(source, applying, { diff: false });
    const orgs = outputs.map(([ref]) => ref);
    const text = `${source.name}: no problem found (${orgs.join(', ')}). Nothing was applied.\n`;
    return { value: { ok: true, orgs }, text };
  }
  const value = await applySource(source, applying);
  return { value, text: `${JSON.stringify(value, null, 2)}\n` };
}

export function addApply(program: Command, applying: ApplySurroundings): void {
  program
    .command('apply')
    .description('creates or updates organizations from a YAML or JSON file (docs/provisioning.md)')
    .argument('[file]', 'the file, or - for standard input')
    .option('--check', 'change nothing: tell every problem')
    .option('--diff', 'change nothing: show what would change')
    .option('--schema', 'print the JSON Schema of such a file, for editors')
    .option('--reference', 'print the reference of such a file, in Markdown')
    .action(async (file: string | undefined, options: Options) => {
      if (options.reference) return applying.write(referencePage());
      if (options.schema) {
        return applying.write(`${JSON.stringify(provisioningSchema(), null, 2)}\n`);
      }
      if (file === undefined) throw badInput('', 'apply needs a file, or - for standard input');
      const { value, text } = await judged(file, options, applying);
      const { json } = program.opts<{ json?: boolean }>();
      applying.write(json === true ? `${JSON.stringify(value)}\n` : text);
    });
}
