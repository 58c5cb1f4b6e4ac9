/**
 * Reads one organization of a provisioning file: its own properties and, entry by entry, its lists.
 * It sends no asks: checks against the stored organization follow later.
 */
import type * as v from 'valibot';
import type { ProblemAt } from '../problems/provisioning.ts';
import { isCovered, readEntry } from './entry.ts';
import {
  channelSchema,
  fileSchema,
  flowSchema,
  keySchema,
  memberSchema,
  organizationSchema,
  type ProvisionedChannel,
  type ProvisionedFile,
  type ProvisionedFlow,
  type ProvisionedHead,
  type ProvisionedKey,
  type ProvisionedMember,
  type ProvisionedPipeline,
  type ProvisionedSubscription,
  type ProvisionedTag,
  pipelineSchema,
  subscriptionSchema,
  tagSchema,
} from './schema.ts';

/** An entry and its path, relative to the organization: `channels.0`. */
export interface EntryAtPath<T> {
  readonly path: string;
  readonly entry: T;
}

export interface ProvisionedOrganization {
  readonly head: ProvisionedHead;
  readonly members: readonly EntryAtPath<ProvisionedMember>[];
  readonly channels: readonly EntryAtPath<ProvisionedChannel>[];
  readonly keys: readonly EntryAtPath<ProvisionedKey>[];
  readonly tags: readonly EntryAtPath<ProvisionedTag>[];
  readonly pipelines: readonly EntryAtPath<ProvisionedPipeline>[];
  readonly flows: readonly EntryAtPath<ProvisionedFlow>[];
  readonly files: readonly EntryAtPath<ProvisionedFile>[];
  readonly subscriptions: readonly EntryAtPath<ProvisionedSubscription>[];
}

export interface ReadOrganization {
  /** The readable part; null when the organization has no usable `ref`. */
  readonly organization: ProvisionedOrganization | null;
  readonly issues: readonly ProblemAt[];
}

interface ReadList<T> {
  readonly entries: readonly EntryAtPath<T>[];
  readonly issues: readonly ProblemAt[];
}

function readList<S extends v.GenericSchema<unknown, { readonly ref: string }>>(
  schema: S,
  list: readonly unknown[] | undefined,
  name: string,
): ReadList<v.InferOutput<S>> {
  const entries: EntryAtPath<v.InferOutput<S>>[] = [];
  const issues: ProblemAt[] = [];
  const places = new Map<string, string>();
  for (const [index, raw] of (list ?? []).entries()) {
    const path = `${name}.${index}`;
    const read = readEntry(schema, raw, path);
    issues.push(...read.issues);
    if (read.entry === null) continue;
    const { ref } = read.entry;
    const place = places.get(ref);
    if (place !== undefined) {
      const problem = { code: 'refUsedBy', params: { ref, place } } as const;
      issues.push({ path: `${path}.ref`, problem });
      continue;
    }
    places.set(ref, path);
    entries.push({ path, entry: read.entry });
  }
  return { entries, issues };
}

/** A tag is written as its name alone, or as `{ref, remove}`. */
function readTags(list: readonly unknown[] | undefined): ReadList<ProvisionedTag> {
  const named = list?.map((raw) => (typeof raw === 'string' ? { ref: raw } : raw));
  const read = readList(tagSchema, named, 'tags');
  const issues = read.issues.map(({ path, problem }) => ({
    path:
      typeof list?.[Number(path.split('.')[1])] === 'string' ? path.replace(/\.ref$/, '') : path,
    problem,
  }));
  return { entries: read.entries, issues };
}

type Lists = Partial<Pick<ProvisionedHead, (typeof LISTS)[number]>>;

const LISTS = [
  ...(['members', 'channels', 'keys', 'tags'] as const),
  ...(['pipelines', 'flows', 'files', 'subscriptions'] as const),
];

function listsIn(raw: unknown): Lists {
  if (typeof raw !== 'object' || raw === null) return {};
  const written = new Map<string, unknown>(Object.entries(raw));
  return Object.fromEntries(
    LISTS.flatMap((name) => {
      const list = written.get(name);
      return Array.isArray(list) ? [[name, list]] : [];
    }),
  );
}

function readLists(lists: Lists) {
  return {
    members: readList(memberSchema, lists.members, 'members'),
    channels: readList(channelSchema, lists.channels, 'channels'),
    keys: readList(keySchema, lists.keys, 'keys'),
    tags: readTags(lists.tags),
    pipelines: readList(pipelineSchema, lists.pipelines, 'pipelines'),
    flows: readList(flowSchema, lists.flows, 'flows'),
    files: readList(fileSchema, lists.files, 'files'),
    subscriptions: readList(subscriptionSchema, lists.subscriptions, 'subscriptions'),
  };
}

/** All problems at once, with paths relative to the organization (`keys.1.token`). */
export function readOrganization(raw: unknown): ReadOrganization {
  const { entry: head, issues: own } = readEntry(organizationSchema, raw, '');
  // Without a ref its entries are not applied; their problems are still reported.
  const lists = readLists(head ?? listsIn(raw));
  const issues = [...own, ...Object.values(lists).flatMap((list) => list.issues)];
  if (head === null) return { organization: null, issues };
  return {
    issues,
    organization: {
      head,
      members: lists.members.entries,
      channels: lists.channels.entries,
      keys: lists.keys.entries,
      tags: lists.tags.entries,
      pipelines: lists.pipelines.entries,
      flows: lists.flows.entries,
      files: lists.files.entries,
      subscriptions: lists.subscriptions.entries,
    },
  };
}

/** Later problems join earlier ones unless they only follow from them. */
export function joinIssues(
  first: readonly ProblemAt[],
  later: readonly ProblemAt[],
): readonly ProblemAt[] {
  return [...first, ...later.filter((issue) => !isCovered(first, issue.path))];
}
