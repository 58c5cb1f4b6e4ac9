/**
 * `recado apply FILE`: all problems first, then the files' content, then the organizations. Each
 * organization is one commit. All organizations are checked before the first is stored, so that
 * none is refused after another was stored. `--check` and `--diff` end there.
 */
import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import { organizationId } from '../../../../shared/entity-ids.ts';
import type { Log } from '../../../../shared/ports/log.ts';
import type { ProblemAt } from '../../../../shared/problems/provisioning.ts';
import { joinPath } from '../../../../shared/provisioning/entry.ts';
import { readFile } from '../../../../shared/provisioning/file.ts';
import { libraryFileId } from '../../../../shared/provisioning/names.ts';
import { joinIssues } from '../../../../shared/provisioning/organization.ts';
import { readAnswer } from '../service/answer.ts';
import { BadInput, problemsOf, RefusedProblems, ServiceFailed } from '../service/failure.ts';
import { operatorAs } from '../service/operator.ts';
import { type Service, TIMEOUT_MS } from '../service/service.ts';
import { type Content, readContents, storeContent } from './library-files.ts';
import type { Source } from './source.ts';

const SEED_BYTES = 32;
/** A file with problems of its own is reported without a long wait for a service. */
const QUICK_TIMEOUT_MS = 900;

export interface ApplyContext {
  readonly open: (timeoutMs: number) => Promise<Service>;
  readonly log: Log;
}

interface Wanted {
  readonly path: string;
  readonly ref: string;
  readonly raw: unknown;
  readonly contents: readonly Content[];
}

interface Read {
  readonly wanted: readonly Wanted[];
  readonly issues: readonly ProblemAt[];
}

/** A provisioning file, or its equivalent from a command's options. */
export type Provisioned = Pick<Source, 'raw' | 'folder'>;

async function readWanted({ raw, folder }: Provisioned): Promise<Read> {
  const { organizations, issues } = readFile(raw);
  const read = await Promise.all(
    organizations.map(async (organization) => ({
      ...(await readContents(organization, folder)),
      path: organization.path,
      ref: organization.organization?.head.ref,
    })),
  );
  return {
    wanted: read.flatMap(({ ref, ...rest }) => (ref === undefined ? [] : [{ ...rest, ref }])),
    issues: [...issues, ...read.flatMap((organization) => organization.issues)],
  };
}

const outputSchema = v.looseObject({ id: v.string() });

type ApplyMode = { readonly check: boolean; readonly diff?: boolean };

async function ask(service: Service, wanted: Wanted, mode: ApplyMode) {
  const key = organizationId(service.ids, wanted.ref);
  const answer = await service.ask(
    { kind: 'organization', key },
    {
      type: 'apply',
      ...mode,
      seed: randomBytes(SEED_BYTES).toString('base64url'),
      organization: wanted.raw,
      ...operatorAs('apply'),
    },
  );
  try {
    return readAnswer(outputSchema, answer);
  } catch (cause) {
    if (!(cause instanceof BadInput)) throw cause;
    const issues = problemsOf(cause).map(({ path, problem }) => ({
      path: joinPath(wanted.path, path),
      problem,
    }));
    throw Object.assign(new RefusedProblems(issues), { cause });
  }
}

type Output = v.InferOutput<typeof outputSchema>;

interface Checked {
  /** All problems that the service has with the organizations. */
  readonly issues: readonly ProblemAt[];
  readonly outputs: readonly (readonly [ref: string, output: Output])[];
}

async function check(
  service: Service,
  wanted: readonly Wanted[],
  { diff }: { readonly diff: boolean },
): Promise<Checked> {
  const issues: ProblemAt[] = [];
  const outputs = await Promise.all(
    wanted.map(async (organization) => {
      try {
        const output = await ask(service, organization, { check: true, ...(diff && { diff }) });
        return [[organization.ref, output] as const];
      } catch (cause) {
        if (!(cause instanceof BadInput)) throw cause;
        issues.push(...problemsOf(cause));
        return [];
      }
    }),
  );
  return { issues, outputs: outputs.flat() };
}

/** A file with problems of its own: the further problems from a service, if there is one. */
async function checkQuickly({ open }: ApplyContext, read: Read): Promise<readonly ProblemAt[]> {
  try {
    const service = await open(QUICK_TIMEOUT_MS);
    const { issues } = await check(service, read.wanted, { diff: false });
    await service.close();
    return joinIssues(read.issues, issues);
  } catch (cause) {
    if (cause instanceof ServiceFailed) return read.issues;
    throw cause;
  }
}

async function upload(service: Service, wanted: readonly Wanted[]): Promise<void> {
  const contents = wanted.flatMap((organization) => organization.contents);
  if (contents.length === 0) return;
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new ServiceFailed('MongoDB is not there: no file could be stored.')),
    TIMEOUT_MS,
  );
  const { client, db } = await Promise.race([service.connectDatabase(), late]).finally(() =>
    clearTimeout(timer),
  );
  try {
    for (const content of contents) {
      const orgId = organizationId(service.ids, content.orgRef);
      await storeContent(db, libraryFileId(service.ids, { orgId, ref: content.ref }), content);
    }
  } finally {
    await client.close();
  }
}

async function readSound(source: Provisioned, context: ApplyContext): Promise<readonly Wanted[]> {
  const read = await readWanted(source);
  if (read.issues.length > 0) throw new RefusedProblems(await checkQuickly(context, read));
  return read.wanted;
}

/**
 * The service's answer for each organization of a file, in the file's order, with `diff` what
 * would change as well. Nothing is changed.
 * @throws {BadInput} with every problem
 * @throws {ServiceFailed} when the service is not there
 */
export async function checkSource(
  source: Provisioned,
  context: ApplyContext,
  options: { readonly diff: boolean },
): Promise<Checked['outputs']> {
  const wanted = await readSound(source, context);
  const service = await openFor(context);
  const { issues, outputs } = await check(service, wanted, options);
  await service.close();
  if (issues.length > 0) throw new RefusedProblems(issues);
  return outputs;
}

/** @throws {ServiceFailed} whose message states how far the file was checked without it */
async function openFor({ open }: ApplyContext): Promise<Service> {
  try {
    return await open(TIMEOUT_MS);
  } catch (cause) {
    if (!(cause instanceof ServiceFailed)) throw cause;
    const sentence = 'The file by itself has no problem; what is stored was not asked.';
    throw new ServiceFailed(`${cause.message} ${sentence}`, { cause });
  }
}

/**
 * Applies a provisioning file and returns the output of `recado apply`.
 * @throws {BadInput} with every problem; nothing was stored
 * @throws {ServiceFailed} when the service is not there
 */
export async function applySource(source: Provisioned, context: ApplyContext): Promise<unknown> {
  const wanted = await readSound(source, context);
  const service = await context.open(TIMEOUT_MS);
  const { issues } = await check(service, wanted, { diff: false });
  if (issues.length > 0) throw new RefusedProblems(issues);
  await upload(service, wanted);
  const orgs: [string, unknown][] = [];
  for (const organization of wanted) {
    orgs.push([organization.ref, await ask(service, organization, { check: false })]);
  }
  await service.close();
  return { orgs: Object.fromEntries(orgs) };
}
