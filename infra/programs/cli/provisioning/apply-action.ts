/**
 * The work of `recado apply`. It is loaded with the command: parser, schema and phone library are
 * a third of the command line's start.
 */

import { provisioningSchema } from '../reference/json-schema.ts';
import { referencePage } from '../reference/page.ts';
import { BadInput, badInput, problemsOf } from '../service/failure.ts';
import { type ApplyContext, applySource, checkSource } from './apply.ts';
import { changesOf, renderChanges } from './changes.ts';
import { problemsIn } from './problems.ts';
import { type Invocation, readSource } from './source.ts';

export interface ApplyCommandContext extends ApplyContext {
  readonly invocation: Invocation;
  /** Standard output. */
  readonly write: (text: string) => void;
}

export interface ApplyOptions {
  readonly check?: true;
  readonly diff?: true;
  readonly schema?: true;
  readonly reference?: true;
}

type Printed = { readonly value: unknown; readonly text: string };

async function judged(file: string, options: ApplyOptions, context: ApplyCommandContext) {
  const source = await readSource(file, context.invocation);
  if (source.isTruncated) {
    const is = 'does not end with a line break';
    context.log.warn({}, `${source.name} ${is}: is it whole? What it leaves out stays as it is.`);
  }
  try {
    return await printed(source, options, context);
  } catch (cause) {
    throw cause instanceof BadInput ? problemsIn(source, problemsOf(cause)) : cause;
  }
}

async function printed(
  source: Parameters<typeof applySource>[0] & { readonly name: string },
  { check, diff }: ApplyOptions,
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

/** Applies, checks or compares the file, and writes the result. */
export async function runApply(
  file: string | undefined,
  options: ApplyOptions & { readonly json?: boolean },
  context: ApplyCommandContext,
): Promise<void> {
  if (options.reference) return context.write(referencePage());
  if (options.schema) {
    return context.write(`${JSON.stringify(provisioningSchema(), null, 2)}\n`);
  }
  if (file === undefined) throw badInput('', 'apply needs a file, or - for standard input');
  const { value, text } = await judged(file, options, context);
  context.write(options.json === true ? `${JSON.stringify(value)}\n` : text);
}
