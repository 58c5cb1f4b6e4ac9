/**
 * `recado files add|list|remove`: the file library of an organization. Adding and removing are what
 * `recado apply` does with a file that holds nothing else.
 */
import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Command } from 'commander';
import * as v from 'valibot';
import { mimeByName } from '../../../../shared/file-name.ts';
import { UNKNOWN_MIME } from '../../../../shared/media.ts';
import { group } from '../output/group.ts';
import { addList, type List, type OfList, ORG } from '../output/lists.ts';
import type { Printing } from '../output/printing.ts';
import { readAnswer } from '../service/answer.ts';
import { badInput } from '../service/failure.ts';
import { locateOrganization, named } from '../service/organizations.ts';
import type { Service } from '../service/service.ts';
import type { ApplyContext } from './apply.ts';
import type { Invocation } from './source.ts';

const librarySchema = v.object({
  data: v.array(
    v.object({
      id: v.string(),
      ref: v.string(),
      name: v.string(),
      mimeType: v.string(),
      sizeBytes: v.number(),
    }),
  ),
});

export interface FilesContext extends ApplyContext {
  readonly invocation: Invocation;
  readonly printing: Printing;
}

interface Addition {
  readonly org?: string;
  readonly ref?: string;
  readonly name?: string;
  readonly mimeType?: string;
}

async function library(service: Service, orgId: string) {
  return readAnswer(librarySchema, await service.query('library', { orgId }));
}

async function applyFile(
  context: FilesContext,
  orgRef: string,
  entry: Readonly<Record<string, unknown>>,
) {
  const raw = { orgs: [{ ref: orgRef, files: [entry] }] };
  const { applySource } = await import('./apply.ts');
  return applySource({ raw, folder: context.invocation.cwd }, context);
}

/** The MIME type follows from the name's ending unless it is given. */
async function addFile(
  service: Service,
  context: FilesContext,
  [path, options]: readonly [string, Addition],
) {
  const { cwd, calledFrom = cwd } = context.invocation;
  const own = resolve(calledFrom, path);
  const from = existsSync(own) ? own : resolve(cwd, path);
  const organization = await locateOrganization(service, options.org);
  const name = options.name ?? basename(from);
  const mimeType = options.mimeType ?? mimeByName(UNKNOWN_MIME, name);
  const ref = options.ref ?? name;
  await applyFile(context, organization.ref, { ref, name, path: from, mimeType });
  const { data } = await library(service, organization.id);
  const added = data.find((file) => file.ref === ref);
  if (!added) throw new Error(`the file "${ref}" was applied and is not there`);
  return added;
}

/** Sent messages keep the file: only new ones cannot refer to it any more. */
async function removeFile(
  service: Service,
  context: FilesContext,
  [file, org]: readonly [string, string | undefined],
) {
  const organization = await locateOrganization(service, org);
  const found = named((await library(service, organization.id)).data, file);
  if (!found) throw badInput('', `there is no file "${file}"`);
  await applyFile(context, organization.ref, { ref: found.ref, remove: true });
  return { id: found.id, ref: found.ref, removed: true };
}

const LIST: List<OfList> = {
  description: 'lists the files of an organization',
  read: async (service, { org }) => library(service, (await locateOrganization(service, org)).id),
  row: ({ id, ref, name, mimeType, sizeBytes }) => ({ id, ref, name, mimeType, sizeBytes }),
};

export function addFiles(program: Command, context: FilesContext): void {
  const files = group(program, 'files', "an organization's file library");
  const { printing } = context;
  addList(files, printing, LIST);
  files
    .command('add')
    .description('adds a file, or gives the file of that ref another content')
    .argument('<path>', 'the file')
    .option(...ORG)
    .option('--ref <ref>', "what to name it by; the file's name unless given")
    .option('--name <name>', 'what its receivers see')
    .option('--mime-type <type>', "by the name's ending unless given")
    .action((path: string, options: Addition) =>
      printing.show((service) => addFile(service, context, [path, options])),
    );
  files
    .command('remove')
    .description('removes a file; messages that carry it keep it')
    .argument('<file>', 'ref or id of the file')
    .option(...ORG)
    .action((file: string, { org }: { org?: string }) =>
      printing.show((service) => removeFile(service, context, [file, org])),
    );
}
