/** Reads a whole provisioning file, `{orgs: […]}`, with the checks that need the whole file. */
import * as v from 'valibot';
import type { ProblemAt } from '../problems/provisioning.ts';
import { joinPath, readEntry } from './entry.ts';
import { networkNumberOf } from './network-number.ts';
import { type ProvisionedOrganization, readOrganization } from './organization.ts';
import { messageFor } from './problem-message.ts';
import type { ProvisionedChannel } from './schema.ts';
import { objectMessage } from './values.ts';

const fileSchema = v.strictObject(
  {
    /** Address of its JSON Schema: editors of JSON read it. */
    $schema: v.exactOptional(v.string()),
    orgs: v.array(v.unknown(), messageFor('notOrganizations', {})),
  },
  objectMessage,
);

export interface OrganizationInFile {
  /** `orgs.0` */
  readonly path: string;
  /** As written: the input of the organization's actor. */
  readonly raw: unknown;
  /** The readable part; null when it has no usable `ref`. */
  readonly organization: ProvisionedOrganization | null;
}

export interface ReadFile {
  readonly organizations: readonly OrganizationInFile[];
  /** Every problem that the file by itself shows, with paths from its top (`orgs.0.name`). */
  readonly issues: readonly ProblemAt[];
}

/** Every ref and token is one entry's in the whole file. */
function repeated(
  entries: readonly { path: string; value: string }[],
  code: 'usedBy' | 'tokenGivenAt' | 'numberGivenAt',
): ProblemAt[] {
  const places = new Map<string, string>();
  return entries.flatMap(({ path, value }) => {
    const place = places.get(value);
    if (place !== undefined) return [{ path, problem: { code, params: { place } } }];
    places.set(value, path);
    return [];
  });
}

export function readFile(raw: unknown): ReadFile {
  const { entry, issues: own } = readEntry(fileSchema, raw, '');
  const written = isOrgs(raw) ? raw.orgs : (entry?.orgs ?? []);
  const read = written.map((organization, index) => ({
    path: `orgs.${index}`,
    raw: organization,
    ...readOrganization(organization),
  }));
  const issues = read.flatMap((org) =>
    org.issues.map(({ path, problem }) => ({ path: joinPath(org.path, path), problem })),
  );
  const refs = read.flatMap(({ path, organization }) =>
    organization ? [{ path: `${path}.ref`, value: organization.head.ref }] : [],
  );
  const tokens = read.flatMap(({ path, organization }) =>
    (organization?.keys ?? []).flatMap((key) =>
      key.entry.token === undefined || key.entry.remove === true
        ? []
        : [{ path: `${path}.${key.path}.token`, value: key.entry.token }],
    ),
  );
  const numbers = read.flatMap(({ path, organization }) =>
    (organization?.channels ?? []).flatMap((channel) => {
      const number = numberOf(channel.entry);
      if (number === null) return [];
      const at = `${path}.${channel.path}`;
      return [{ path: `${at}.network.${number.setting}`, value: number.key }];
    }),
  );
  return {
    organizations: read.map(({ path, raw: own, organization }) => ({
      path,
      raw: own,
      organization,
    })),
    issues: [
      ...own,
      ...issues,
      ...repeated(refs, 'usedBy'),
      ...repeated(tokens, 'tokenGivenAt'),
      ...repeated(numbers, 'numberGivenAt'),
    ],
  };
}

/** Only by the file's own content: the channel's stored settings are checked later. */
function numberOf({ provider, network = {}, remove }: ProvisionedChannel) {
  const { session } = network;
  const of = provider ?? (session === undefined ? 'cloud' : 'web');
  return remove === true ? null : networkNumberOf(of, network);
}

function isOrgs(raw: unknown): raw is { readonly orgs: readonly unknown[] } {
  return typeof raw === 'object' && raw !== null && 'orgs' in raw && Array.isArray(raw.orgs);
}
