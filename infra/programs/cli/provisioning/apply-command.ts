/**
 * `recado apply`: a provisioning file applied, checked (`--check`), compared with the stored state
 * (`--diff`), and its format (`--schema`, `--reference`).
 */
import type { Command } from 'commander';
import type { ApplyCommandContext, ApplyOptions } from './apply-action.ts';

export function addApply(program: Command, context: ApplyCommandContext): void {
  program
    .command('apply')
    .description('creates or updates organizations from a YAML or JSON file (docs/provisioning.md)')
    .argument('[file]', 'the file, or - for standard input')
    .option('--check', 'change nothing: tell every problem')
    .option('--diff', 'change nothing: show what would change')
    .option('--schema', 'print the JSON Schema of such a file, for editors')
    .option('--reference', 'print the reference of such a file, in Markdown')
    .action(async (file: string | undefined, options: ApplyOptions) => {
      const { runApply } = await import('./apply-action.ts');
      await runApply(file, { ...options, ...program.opts<{ json?: boolean }>() }, context);
    });
}
